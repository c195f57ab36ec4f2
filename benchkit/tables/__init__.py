"""Tables as data: rows, cells and notes, before anyone decides on colours or files.

Terminal, Markdown and HTML lay out the same cells.
"""
