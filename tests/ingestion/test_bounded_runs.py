"""A file of kilobytes cannot cost gigabytes: its runs and problems are limited."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.errors import BenchkitError

COUNT = 20_000
NUMBERS = ",".join(["0"] * COUNT)
BOMBS = {
    "asv": '{"commit_hash":"a","env_name":"e","date":1,"params":{},"python":"3","result_columns":'
    f'["result","params"],"results":{{"a.time_x":[[{NUMBERS}],[[{NUMBERS}]]]}},"version":2}}',
    "hyperfine": f'{{"results":[{{"command":"a","times":[{NUMBERS}]}}]}}',
    "github": f'[{{"name":"a","unit":"ms","value":1}},{NUMBERS}]',
    "benchmarkdotnet": '{"HostEnvironmentInfo":{"BenchmarkDotNetVersion":"0.13"},"Benchmarks":'
    f"[{','.join(['{}'] * COUNT)}]}}",
}


@pytest.mark.parametrize("name", BOMBS)
def test_highly_compressed_equal_numbers_are_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a" / f"{name}.json.gz"
    path.parent.mkdir()
    path.write_bytes(gzip.compress(BOMBS[name].encode()))
    with pytest.raises(BenchkitError, match="contains more than 10,000 runs and problems"):
        bk.load(str(path.parent))


def test_same_number_of_measured_times_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a" / "sleep.json.gz"
    path.parent.mkdir()
    times = [random.Random(seed).random() for seed in range(12_000)]  # noqa: S311 - no secret
    document = {"results": [{"command": "sleep", "times": times}]}
    path.write_bytes(gzip.compress(json.dumps(document).encode()))
    assert len(bk.load(str(path.parent)).runs) == len(times)
