"""A fleet of CI jobs that write into one store: what a job costs as the store grows.

`nox -s scale`, or `python -m scale` with `tests` on the path; a short form is in the suite.
"""
