"""Reports: the verdict, its tables and its figures, written for people and for machines.

Every form shows one and the same report, so that no two of them disagree.

The room is called reporting because `benchkit.report` is the function: a submodule of the same name
would replace it as soon as it is imported.
"""
