"""Run benchmarks and keep what they printed, beside a sidecar that says how they were run."""
