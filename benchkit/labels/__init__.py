"""Labels of runs, from the path of a raw file and the files next to it.

The steps are `walk` (which files to read), `patterns` (labels from the path), `sidecars` (labels
from files next to it) and `numbering` (which readings are one run, and its number). Nothing here
opens a raw file.
"""
