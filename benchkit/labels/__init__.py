"""From where a raw file lies and what lies beside it to the labels of its runs.

The road is `walk` (which files) -> `patterns` (what a path says) -> `sidecars` (what lies beside
it) -> `numbering` (which readings are one run, and which number it has); nothing here opens a raw
file.
"""
