"""Readers that convert a tool's raw files to observations.

A new tool is one new parser; no other module has to know of it.
"""
