"""The names of k6's metrics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchkit.parsers.base import Diagnostic, Reading, Source
from benchkit.parsers.k6 import TEXT as FORMAT
from benchkit.parsers.k6.words import own_name

TEXT = Path(__file__).parents[2] / "fixtures/shorturl-k6/baseline/k6-1.txt"


@pytest.mark.parametrize("prefix", ["at 10h: ", "INFO: ", "load#1 "])
def test_unknown_metric_name_is_a_warning(prefix: str) -> None:
    """A prefix on only some lines cannot be removed."""
    lines = TEXT.read_text().split("\n")
    (place,) = (i for i, line in enumerate(lines) if line.strip().startswith("http_reqs."))
    lines[place] = prefix + lines[place].strip()
    records = list(FORMAT.parse(Source(None, "x", "\n".join(lines).encode())))
    readings = [record for record in records if isinstance(record, Reading)]
    problems = [record for record in records if isinstance(record, Diagnostic)]
    names = {row[1] for reading in readings for row in reading.rows}
    assert not any(name.endswith("http_reqs") for name in names)
    assert "requests" not in names
    (problem,) = (each for each in problems if "not the name of a k6 metric" in each.what)
    assert problem.line == place + 1


def test_number_with_underscores_is_not_read() -> None:
    text = TEXT.read_text()
    rate = re.search(r"http_reqs\.+: \d+ +([\d.]+)/s", text)
    assert rate is not None
    source = Source(None, "x", text.replace(rate[1], "1_000").encode())
    runs = (record for record in FORMAT.parse(source) if isinstance(record, Reading))
    assert not {"request_rate", "check_rate"} & {row[1] for run in runs for row in run.rows}


def test_secret_in_a_metric_name_is_masked() -> None:
    secrets = "ghp_" + "a1B2" * 9, "AKIA" + "A1B2" * 4, "eyJhbGciOiJ9.eyJzdWIiOiIxIn0.c2lnbmF0"
    names = [own_name(f"http_reqs_token_{secret}") for secret in secrets]
    assert len(set(names)) == len(names)
    for name, secret in zip(names, secrets, strict=True):
        assert name.startswith("reqs_token_")
        assert not any(part.lower() in name.replace("_", "") for part in secret[8:].split("."))
