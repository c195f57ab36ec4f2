"""Figures of what was compared: one kind of figure, one module.

A plot shows numbers that were computed elsewhere and computes none of its own.
"""
