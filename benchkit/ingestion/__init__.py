"""From arguments on a command line to observations: find, identify, parse, label, store.

In: paths and options. Out: frames in memory, or a commit to the store and a summary of it.
Why: `ingest`, `compare` on a raw folder and the notebook take the same road.
"""
