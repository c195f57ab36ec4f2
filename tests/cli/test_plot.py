"""``benchkit plot`` on the command line: files, extensions and errors."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.cli import run
from benchkit.plots.kinds import KINDS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RUNS = str(FIXTURES / "tracing-wrk")
NGINX = str(FIXTURES / "nginx-ab" / "nginx")


RUNS_OF = {
    "sweep": str(FIXTURES / "nginx-ab" / "nginx"),
    "ecdf": str(FIXTURES / "vegeta-single"),
    "timeline": str(FIXTURES / "vegeta-single"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_plot_becomes_a_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["plot", kind, RUNS_OF.get(kind, RUNS)]) == 0
    assert (tmp_path / f"{kind}.svg").read_text(encoding="utf-8").startswith("<?xml")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.endswith(f"→ {kind}.svg\n")


@pytest.mark.parametrize("name", ["a.png", "A.PNG"])
def test_file_name_selects_the_format(tmp_path: Path, name: str) -> None:
    target = tmp_path / name
    assert run(["plot", "forest", RUNS, "-q", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["pie", RUNS], 2, "KIND: unknown value 'pie'; use forest, percentiles"),
        (["forest", RUNS, "-o", "a.jpg"], 2, "unknown file extension '.jpg'; end it with .svg"),
        (["ecdf", RUNS], 3, "no raw samples, only the tool's summaries"),
        (["timeline", RUNS], 3, "no request has a time, and no container sample lies within"),
        (["sweep", RUNS], 3, "no benchmark has 3 levels of load or more"),
        (["shift", str(FIXTURES / "redis-gobench" / "pinned")], 3, "two percentiles"),
        (["percentiles", NGINX], 3, "a variant and its baseline, but there is only one variant"),
        (["percentiles", NGINX], 3, "measure a second variant too; for load levels, use"),
        (["forest", NGINX], 3, "no forest plot: it needs a variant and its baseline"),
    ],
)
def test_invalid_plots_are_refused(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plot", *arguments]) == code
    assert message in capsys.readouterr().err
