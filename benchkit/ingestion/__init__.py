"""From command-line arguments to observations: find, identify, parse, label and store.

`ingest`, `compare` on a raw folder and the notebook share these steps.
"""
