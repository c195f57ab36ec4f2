"""Does the rule keep its promises? Simulated sessions, judged as every comparison is.

In: a seed. Out: `simulation.json` here, and the table in the README: `nox -s calibrate`.
Why: error rates that are promised are measured, also where they break, through the very functions
that `compare` uses. (`benchkit noise` is another thing: it tries the rule on a user's own runs.)
"""
