"""Checks that the rules keep their promises, in simulated sessions judged like any comparison.

Promised error rates are measured, also where they break, through the functions that `compare` uses.
(`benchkit noise` is different: it tries the rule on a user's runs.)
"""
