"""Campaigns against the promise that nothing is lost, invented or left hanging.

Kills, full disks, damage, writers at once, mutated inputs, hostile names, and a store that grows:
`nox -s soak`, or `python -m soak` with `tests` on the path. Every trial follows from a seed, so a
loss can be had again. Short forms of all campaigns are in the ordinary suite.
"""
