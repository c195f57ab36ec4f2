"""`store prune` drops old ingests, keeps the newest of each variant, and can be undone."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

import pytest
from object_store import serve
from roads import FIXTURES

from benchkit.cli import run
from benchkit.store import Store

REPORT = (FIXTURES / "tracing-wrk" / "none" / "wrk-1.txt").read_text(encoding="utf-8")


@pytest.fixture(params=["store", "s3://bucket/store"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Change to an empty folder, and return the address of a local store or one on S3."""
    monkeypatch.chdir(tmp_path)
    server: AbstractContextManager[dict[str, str]] = serve()
    with server if "://" in request.param else nullcontext({}) as env:
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        yield str(request.param)


def ingest(store: str, folder: str, *variants: str) -> None:
    for number, variant in enumerate(variants):
        path = Path(folder, variant, "wrk-1.txt")
        path.parent.mkdir(parents=True)
        rate = f"   {5000 + number + ord(folder[0])}.00"
        path.write_text(re.sub(r"(?<=Requests/sec:).*", rate, REPORT), encoding="utf-8")
    assert run(["ingest", folder, "-q", "--store", store]) == 0


def list_variants(store: str) -> list[str]:
    pieces = Store(store).pieces()
    assert pieces is not None
    return sorted(pieces["variant"].to_pylist())


def prune(store: str, capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    capsys.readouterr()
    assert run(["store", "prune", *options, "--format", "json", "--store", store]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return {name: document[name] for name in ("runs", "ingests", "kept")}


def test_prune_drops_old_ingests_except_the_newest_of_each_variant(
    store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ingest(store, "first", "none", "old")
    ingest(store, "other", "none", "new")
    ingest(store, "third", "none", "new")
    before = list_variants(store)
    young = prune(store, capsys, "--older-than", "1h")
    assert (young, list_variants(store)) == ({"runs": 0, "ingests": 0, "kept": 0}, before)
    done = prune(store, capsys, "--older-than", "0d")
    assert done == {"runs": 2, "ingests": 1, "kept": 2}
    assert list_variants(store) == ["new", "none", "none", "old"]
    assert run(["undo", "--store", store]) == 0
    assert list_variants(store) == before
    done = prune(store, capsys, "--older-than", "0d", "--keep", "0")
    assert (done, list_variants(store)) == ({"runs": 6, "ingests": 3, "kept": 0}, [])


@pytest.mark.parametrize("verb", ["store prune --older-than 0d", "history prune --keep 1"])
def test_vacuum_frees_pruned_space_and_ends_undo(
    verb: str, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for number, folder in enumerate(("one", "other", "third")):
        path = Path(folder, "none", "wrk-1.txt")
        path.parent.mkdir(parents=True)
        path.write_text(re.sub(r"(?<=Requests/sec:).*", f"   {5000 + number}.00", REPORT))
        date = datetime.fromtimestamp(time.time() + number, UTC).isoformat()
        words = ["history", "add", folder, "--commit", f"abcdef{number}", "--date", date]
        assert run([*words, "--branch", "main", "-q", "--store", store]) == 0
    assert run([*verb.split(), "--store", store]) == 0
    assert list_variants(store) == ["none"]
    capsys.readouterr()
    assert run(["store", "vacuum", "--format", "json", "--store", store]) == 0
    files = json.loads(capsys.readouterr().out)["files"]
    assert files["dropped"] == 2
    assert run(["undo", "--store", store]) == 3
    assert "nothing to undo" in capsys.readouterr().err
    assert list_variants(store) == ["none"]
    assert run(["store", "check", "--store", store]) == 0


@pytest.mark.parametrize("age", ["x", "90", "", "-1d"])
def test_age_needs_a_number_with_a_unit(
    age: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(["store", "prune", f"--older-than={age}"]) == 2
    assert "--older-than" in capsys.readouterr().err
