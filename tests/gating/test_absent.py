"""A first run may pass without a baseline; a lost or misspelled baseline may not."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import gated
import pytest

from benchkit.cli import run

ALLOW = ("--allow-missing-baseline", "--quiet")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    gated.write_runs(tmp_path / "results" / "new" / "1.txt", seed=1)
    gated.write_runs(tmp_path / "results" / "base" / "1.txt", seed=2)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_misspelled_baseline_does_not_count_as_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gate", "results", "--baseline", "bsae", *ALLOW]) == 3
    assert "did you mean 'base'?" in capsys.readouterr().out
    assert run(["gate", "results", "--pair", "bsae:new", *ALLOW]) == 3
    gated.write_runs(folder / "results" / "base" / "1.txt", seed=2, benchmarks=("Other",))
    assert run(["gate", "results", *ALLOW]) == 3


def test_baseline_with_refused_files_does_not_count_as_missing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "results" / "base" / "1.txt").write_text("bench: killed\n", encoding="utf-8")
    assert run(["gate", "results", *ALLOW]) == 3
    assert run(["gate", "results", "--baseline", "base", *ALLOW]) == 3
    assert "othing was compared" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["base=results/none", "new=results/new"], 0),
        (["new=results/new", "base=results/none"], 0),
        (["old=results/none", "new=results/new"], 0),  # the first one named
        (["new=results/new", "main=results/none", "--baseline", "main"], 0),
        (["base=git:nowhere:main", "new=results/new"], 0),
        (["base=git:HEAD:nowhere", "new=results/new"], 0),
        (["base=results/base", "new=results/none"], 3),
        (["new=results/new", "newer=results/none"], 3),
        (["old=results/none", "base=results/base"], 3),
        (["base=results/none"], 3),
        (["base=results/none", "new=results/nowhere"], 3),
        (["bsae=results/none", "new=results/new", "--baseline", "base"], 3),
    ],
)
def test_path_of_the_baseline_may_not_exist_yet(
    folder: Path, arguments: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "first"]):
        subprocess.run(["git", *words], check=True, cwd=folder)
    assert run(["gate", *arguments, "--quiet"]) == 3
    capsys.readouterr()
    assert run(["gate", *arguments, *ALLOW]) == code
    assert ("There is no baseline" in capsys.readouterr().out) is (code == 0)


def test_baseline_that_git_cannot_resolve_does_not_count_as_missing(folder: Path) -> None:
    arguments = ["base=git:HEAD:main", "new=results/new", *ALLOW]
    assert run(["gate", *arguments]) == 3  # no repository
    shutil.rmtree(folder / "results" / "base")
    assert run(["gate", "results", *ALLOW]) == 0


@pytest.mark.parametrize(
    ("rule", "arguments", "code", "message"),
    [
        ('pair = ["base", "new"]', [], 0, "There is no baseline"),
        ('pair = ["base", "neww"]', [], 3, "unknown variant 'neww'; did you mean 'new'?"),
        (
            'metric = "time_per_opp"',
            [],
            3,
            "unknown metric 'time_per_opp'; did you mean 'time_per_op'",
        ),
        ('metric = "time_per_op.p90"', [], 3, "unknown statistic of time_per_op 'p90'"),
        ('where = {benchmark = "Pign"}', [], 3, "unknown benchmark 'Pign'; did you mean 'Ping'?"),
        ('where = {benchmark = "P*", gomaxprocs = 8}', [], 0, "There is no baseline"),
        ("where = {gomaxprocs = 4}", [], 3, "unknown gomaxprocs '4'; known: 8"),
        ('where = {benchmrak = "Ping"}', [], 2, "did you mean 'benchmark'?"),
        ('where = {variant = "new"}', ["--variant", "new"], 0, "There is no baseline"),
        ("", ["--baseline", "base", "--variant", "neww"], 3, "unknown variant 'neww'"),
        ("", ["--pair", "base:neww"], 3, "unknown variant 'neww'"),
    ],
)
@pytest.mark.parametrize("base", [["base=results/none"], []], ids=["no path", "none named"])
def test_rule_names_unknown_to_the_other_side_are_misspelled(
    folder: Path,
    rule: str,
    arguments: list[str],
    code: int,
    message: str,
    base: list[str],
    capsys: pytest.CaptureFixture[str],
) -> None:
    metric = "" if "metric" in rule else 'metric = "time_per_op"'
    policy = f'[[gate]]\n{rule}\n{metric}\nacceptable = "5%"\n'
    (folder / "benchkit.toml").write_text(policy, encoding="utf-8")
    assert run(["gate", *base, "new=results/new", *arguments, *ALLOW]) == code
    assert message in "".join(capsys.readouterr())


NOTHING_LISTED = b"""<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bucket</Name>
<Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
</ListBucketResult>"""


class Answering(BaseHTTPRequestHandler):
    """Answers ``/answer/410`` with that code; an object store whose ``bucket`` is empty."""

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        place, _, query = self.path.partition("?")
        _, kind, *rest = place.split("/")
        is_listed = kind == "bucket" and "list-type" in query
        code = int(rest[0]) if kind == "answer" else 200 if is_listed else 404
        code = 403 if kind == "forbidden" else code
        body = NOTHING_LISTED if is_listed else b""
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if self.command == "GET" else b"")

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answering) as serving:
        Thread(target=serving.serve_forever, daemon=True).start()
        yield serving.server_port
        serving.shutdown()


OBJECTS = "s3://{place}?scheme=http&endpoint_override=127.0.0.1:{port}&region=x"


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("http://127.0.0.1:{port}/answer/404/main.tar.gz", 0),
        ("http://127.0.0.1:{port}/answer/410/main.tar.gz", 0),
        ("http://127.0.0.1:{port}/answer/401/main.tar.gz", 3),
        ("http://127.0.0.1:{port}/answer/403/main.tar.gz", 3),
        ("http://127.0.0.1:{port}/answer/500/main.tar.gz", 3),
        ("http://127.0.0.1:1/main.tar.gz", 3),  # no server answers
        (OBJECTS.replace("{place}", "key:secret@bucket/main"), 0),
        (OBJECTS.replace("{place}", "key:secret@forbidden/main"), 3),
        ("file://{folder}/results/none", 0),
    ],
)
def test_address_may_have_no_baseline_yet(
    folder: Path, address: str, code: int, port: int, capsys: pytest.CaptureFixture[str]
) -> None:
    base = f"base={address.format(port=port, folder=folder)}"
    assert run(["gate", base, "new=results/new", "--quiet"]) == 3
    assert "secret" not in "".join(capsys.readouterr())
    assert run(["gate", base, "new=results/new", *ALLOW]) == code
    assert ("There is no baseline" in capsys.readouterr().out) is (code == 0)
    assert run(["gate", "new=results/new", base.replace("base=", "newer="), *ALLOW]) == 3
