"""Options that mean nothing, and folders with nothing in them, are refused with what to do."""

from __future__ import annotations

import shlex
from pathlib import Path
from shutil import copy

import pytest
from invocation import benchkit

PINNED = Path(__file__).resolve().parents[2] / "fixtures" / "redis-gobench" / "pinned"


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("compare", "--by", "benchmrk"), 3, "did you mean 'benchmark'? there are: group, variant"),
        (("compare", "--by", "gomaxproc"), 3, "did you mean 'gomaxprocs'?"),
        (("compare", "--by", "benchmark", "--by", "metric"), 2, "name one column"),
        (("compare", "--knee", ""), 2, "use share:0.9, power, usl or sla:"),
        (("report", "--by", "benchmark"), 2, "write --by benchmark=VALUE"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    verb, *options = arguments
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]
    done = benchkit(verb, *files, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr


def test_where_nothing_was_read_no_next_step_is_named(tmp_path: Path) -> None:
    (tmp_path / "junk.txt").write_text("no result")
    done = benchkit("ingest", "junk.txt", cwd=tmp_path)
    assert done.returncode == 3
    assert ".benchkit: 0 runs · nothing was read: mend what is named above" in done.stderr
    assert "next:" not in done.stderr


@pytest.mark.parametrize("verb", ["compare", "gate", "report"])
def test_where_no_name_tells_the_baseline_the_command_that_does_is_named(
    tmp_path: Path, verb: str
) -> None:
    (tmp_path / "my results").mkdir()
    for source, name in (("Baseline", "get"), ("OTel_Enabled", "put")):
        copy(PINNED / f"{source}.txt", tmp_path / "my results" / f"{name}.txt")
    refused = benchkit(verb, "my results", cwd=tmp_path)
    command = f"benchkit {verb} 'my results' --baseline get"
    assert refused.returncode == 2
    assert f"; for example: {command}\n" in refused.stderr
    assert benchkit(*shlex.split(command)[1:], cwd=tmp_path).returncode != 2
