"""Tables as data: rows, cells and notes, independent of colours and files.

Terminal, Markdown and HTML render the same cells.
"""
