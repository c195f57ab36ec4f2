"""Observations to more observations, and runs to what their order tells.

In: what was measured. Out: what follows from it. Why: arithmetic that users do by hand is done
once, by a named rule, and checked.
"""
