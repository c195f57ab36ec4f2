"""From where a raw file lies and what lies beside it to the labels of its runs.

In: a folder of raw files. Out: for every run its group, variant, benchmark, params, run number and
role. Why: the road is `walk` (which files) -> `patterns` (what a path says) -> `sidecars` (what
lies beside it) -> `numbering` (which readings are one run, and which number it has); nothing here
opens a raw file.
"""
