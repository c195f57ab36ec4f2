"""Tables as data: rows, cells and notes, before anyone decides on colours or files.

In: comparisons and verdicts. Out: frozen tables and the sentence above them. Why: terminal,
Markdown and HTML lay out the same cells.
"""
