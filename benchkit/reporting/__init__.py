"""Reports: the verdict, its tables and its figures, for people and as data.

All formats show the same report, so no two of them disagree.

The package is called reporting because `benchkit.report` is the function: a submodule of the same
name would replace it on import.
"""
