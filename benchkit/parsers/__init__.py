"""Raw files of one tool each, read into observations.

A new tool is one new parser; nothing else learns of it.
"""
