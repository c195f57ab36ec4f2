"""Figures of what was compared: one kind of figure, one module.

In: comparisons and observations. Out: matplotlib figures. Why: a plot shows numbers that were
computed elsewhere and computes none of its own.
"""
