"""A fleet of CI jobs that write into one store: the cost of a job as the store grows.

`nox -s scale`, or `python -m scale` with `tests` on the path; the suite has a short form.
"""
