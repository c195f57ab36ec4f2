"""Figures of comparisons, one kind per module.

A plot shows numbers that were computed elsewhere, and computes none itself.
"""
