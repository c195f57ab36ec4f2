"""Run benchmarks and keep what they printed, beside a sidecar that says how they were run.

In: commands, once or in rounds. Out: a folder that `ingest` reads with all its labels. Why: start,
end, order and machine cannot be told afterwards, and no load tool writes them down.
"""
