"""Run benchmarks and keep what they printed, beside a sidecar that says how they were run.

Start, end, order and machine cannot be told afterwards, and no load tool writes them down.
"""
