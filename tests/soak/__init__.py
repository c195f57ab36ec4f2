"""Campaigns that check that nothing is lost, invented or left hanging.

Kills, full disks, damage, concurrent writers, mutated inputs, hostile names, and a growing store:
`nox -s soak`, or `python -m soak` with `tests` on the path. Every trial follows from a seed, so a
loss can be reproduced. The ordinary suite has short forms of all campaigns.
"""
