"""Raw files of one tool each, read into observations.

In: the bytes that a tool wrote. Out: runs with their values in base units, and diagnostics for
what could not be read. Why: a new tool is one new parser; nothing else learns of it.
"""
