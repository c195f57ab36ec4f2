"""No secret of a command, a label or an address reaches any output."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from secret_shapes import HOLDING, SECRET

from benchkit.cli import run

WRK = Path(__file__).parents[2] / "fixtures" / "tracing-wrk"
SINKS = (
    ("runs",),
    ("runs", "--format", "json"),
    ("runs", "--format", "csv"),
    ("compare", "--baseline", "none"),
    ("compare", "--baseline", "none", "--format", "json"),
    ("compare", "--baseline", "none", "--format", "csv"),
    ("compare", "--baseline", "none", "--format", "md"),
    ("check",),
    ("check", "--format", "json"),
    ("export",),
    ("gate", "--baseline", "none", "--junit", "junit.xml"),
    ("report", "--baseline", "none", "-o", "report.html"),
    ("report", "--baseline", "none", "-o", "report.md"),
    ("report", "--baseline", "none", "-o", "report.json"),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store in which every shape is a command, a name, a heading and a variable."""
    folder = tmp_path_factory.mktemp("secrets")
    shapes = [[word.replace(SECRET, f"{SECRET}{n:03}") for word in words] for n, words in
              enumerate(HOLDING.values())]  # fmt: skip
    for number, words in enumerate(shapes):
        command = shlex.join(words)
        for variant in ("none", "otlp"):
            text = (WRK / variant / "wrk-1.txt").read_text(encoding="utf-8")
            path = folder / variant / f"wrk-{number}-1.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"# {command}\n$ {command}\n{text}", encoding="utf-8")
            side = {"command": command, "benchmark": f"{number} {command}"}
            if number % 2:
                side["benchmark"] = command
            facts = {"env": {f"fact{number}": command}, "params": {"p": command}}
            tables = "".join(
                f"[{table}]\n{name} = {json.dumps(value)}\n"
                for table, held in facts.items() for name, value in held.items()
            )  # fmt: skip
            lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in side.items())
            path.with_name(f"{path.name}.run.toml").write_text(lines + tables, encoding="utf-8")
    store = folder / "store"
    assert run(["ingest", str(folder / "none"), str(folder / "otlp"), "--store", str(store)]) == 0
    return store


@pytest.mark.parametrize("words", SINKS, ids=" ".join)
def test_no_output_holds_a_secret(
    store: Path,
    words: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([words[0], "--store", str(store), *words[1:]]) in {0, 1, 3, 4}
    streams = capsys.readouterr()
    written = [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()]
    text = "\n".join([streams.out, streams.err, *written])
    assert not set(re.findall(rf"{SECRET}\d+", text))
    assert "wrk" in text
