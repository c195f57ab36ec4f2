"""Options without effect and folders without results are refused with a remedy."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from shutil import copy

import pytest
from invocation import benchkit

PINNED = Path(__file__).resolve().parents[2] / "fixtures" / "redis-gobench" / "pinned"
WRK = PINNED.parents[1] / "tracing-wrk" / "none"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("compare", "--by", "group=A", "--by", "group=B"), 2, "cannot be both 'A' and 'B'"),
        (("plan", "--by", "group=A", "--by", "group=B"), 2, "--by: group cannot be both"),
        (("compare", "--by", "benchmrk"), 3, "did you mean 'benchmark'? known: group, variant"),
        (("compare", "--by", "gomaxproc"), 3, "did you mean 'gomaxprocs'?"),
        (("compare", "--by", "benchmark", "--by", "metric"), 2, "keep one column"),
        (("compare", "--knee", ""), 2, "use share:0.9, power, usl or sla:"),
        (("report", "--by", "benchmark"), 2, "use --by benchmark=VALUE"),
    ],
)
def test_option_without_effect_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    verb, *options = arguments
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]
    done = benchkit(verb, *files, *options, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr


def test_no_next_step_is_suggested_if_nothing_was_read(tmp_path: Path) -> None:
    (tmp_path / "junk.txt").write_text("no result")
    done = benchkit("ingest", "junk.txt", cwd=tmp_path)
    assert done.returncode == 3
    assert ".benchkit: 0 runs · nothing was read; fix the problems listed above" in done.stderr
    assert "next:" not in done.stderr


@pytest.mark.parametrize("verb", ["compare", "gate"])
def test_file_of_unknown_format_next_to_the_only_variant_is_named(
    tmp_path: Path, verb: str
) -> None:
    copy(WRK / "wrk-1.txt", tmp_path / "none.txt")
    (tmp_path / "otlp.txt").write_text("connection reset by peer, giving up\n")
    (tmp_path / "targets.lst").write_text("GET /\n")
    done = benchkit(verb, ".", cwd=tmp_path)
    assert done.returncode == 3
    assert "'none' is the only variant, and no known format fits otlp.txt; " in (
        done.stderr + done.stdout
    )


@pytest.mark.parametrize("verb", ["compare", "gate", "report"])
def test_command_with_a_baseline_is_suggested_if_names_reveal_none(
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


def find_command(text: str) -> list[str]:
    """Return the words of the example command in an error."""
    return shlex.split(text.partition("for example: benchkit ")[2].splitlines()[0])


def test_folder_of_one_variant_explains_how_to_add_a_side(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    for run in (1, 2, 3):
        text = (WRK / f"wrk-{run}.txt").read_text()
        (tmp_path / f"mine/run_0{run}.log").write_text(text)
    shutil.copy(WRK / "wrk-warmup-1.txt", tmp_path / "mine")  # is not one of its runs
    refused = benchkit("compare", "mine", cwd=tmp_path)
    assert refused.returncode == 3
    assert "'mine' is the only variant; 3 files are its runs: mine/run_01.log, " in refused.stderr
    words = find_command(refused.stderr)
    assert words == ["compare", "mine", "other=PATH", "--baseline", "mine"]
    other = WRK.parent / "otlp"
    done = benchkit(*(word.replace("PATH", str(other)) for word in words), cwd=tmp_path)
    assert (done.returncode, "other" in done.stdout) == (0, True)
    assert "with other=PATH --baseline mine" in benchkit("gate", "mine", cwd=tmp_path).stdout


def test_variants_in_benchmark_names_suggest_the_split_command(tmp_path: Path) -> None:
    copy(PINNED.parent / "single" / "gobench-all-1.txt", tmp_path / "current.txt")
    refused = benchkit("compare", "current.txt", cwd=tmp_path)
    assert refused.returncode == 3
    assert "the benchmark names contain the variants Baseline, OTel_Disabled, " in refused.stderr
    words = find_command(refused.stderr)
    assert words[:3] == ["compare", "current.txt", "--split"]
    done = benchkit(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert "OTelOverhead/Ping" in done.stdout
    assert "OTel_Enabled" in done.stdout
    shown = benchkit("layout", "current.txt", cwd=tmp_path).stdout
    assert f"    {shlex.join(['benchkit', *words])}\n" in shown
    assert shlex.join(words[2:]) in benchkit("gate", "current.txt", cwd=tmp_path).stdout
    split = benchkit("layout", *words[1:], "--format", "json", cwd=tmp_path).stdout
    assert '"readings": []' in split


def test_store_of_one_variant_suggests_what_to_ingest(tmp_path: Path) -> None:
    copy(WRK / "wrk-1.txt", tmp_path / "none.txt")
    copy(PINNED.parent / "single" / "gobench-all-1.txt", tmp_path / "current.txt")
    assert benchkit("ingest", "none.txt", cwd=tmp_path).returncode == 0
    assert "benchkit ingest other=PATH\n" in benchkit("compare", cwd=tmp_path).stderr
    assert benchkit("ingest", "current.txt", "--store", "go", cwd=tmp_path).returncode == 0
    refused = benchkit("compare", "go", cwd=tmp_path).stderr
    words = shlex.split(refused.partition("again: benchkit ")[2])
    anew = [{"PATH": "current.txt", "NEW": "split"}.get(word, word) for word in words]
    assert benchkit(*anew, cwd=tmp_path).returncode == 0
    assert "OTel_Enabled" in benchkit("compare", "split", cwd=tmp_path).stdout
