"""From arguments on a command line to observations: find, identify, parse, label, store.

`ingest`, `compare` on a raw folder and the notebook take the same road.
"""
