"""Run benchmarks and keep their output, with a sidecar that records how they were run."""
