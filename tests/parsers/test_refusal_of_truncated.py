"""A report that was truncated before its results is named with its tool and line."""

from __future__ import annotations

import pytest

from benchkit.errors import ForeignError, UnknownFormatError
from benchkit.parsers import registry
from benchkit.reading.source import Source

UNFINISHED = {
    "autocannon or wrk": "Running 30s test @ http://127.0.0.1:8080/\n",
    "autocannon": "Running 500 requests test @ http://127.0.0.1:8080/\n10 connections\n",
    "ab": "This is ApacheBench, Version 2.3 <$Revision: 1879490 $>\nCopyright 1996 Adam Twiss\n",
    "vegeta": "Requests      [total, rate, throughput]\n",
    "k6": "     execution: local\n        script: test.js\n        output: -\n",
    "bombardier": "Bombarding http://127.0.0.1/ for 10s using 125 connection(s)\n",
    "plow": "Benchmarking http://127.0.0.1/ using 10 connection(s).\n",
    "hyperfine": "Benchmark 1: sleep 1\n",
}


@pytest.mark.parametrize("tool", UNFINISHED)
@pytest.mark.parametrize("above", ["", "started at noon\n\n", "$ cat results.txt\n# "])
def test_output_truncated_before_its_results_names_tool_and_line(tool: str, above: str) -> None:
    with pytest.raises(UnknownFormatError) as raised:
        registry.identify(Source(None, "new/1.txt", (above + UNFINISHED[tool]).encode()))
    error = raised.value
    assert error.what == f"this line looks like output of {tool}, but no complete report is here"
    assert error.where == f"new/1.txt:{above.count(chr(10)) + 1}"
    assert "whole output" in error.hint
    assert not isinstance(error, ForeignError)
