"""Quotes from files of arbitrary content in messages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from invocation import benchkit
from secret_shapes import SECRET

from benchkit.redaction import show_opening, show_part

WORDS = "swordfish"
#: First lines of files that a results folder should not contain, but may.
OPENINGS = {
    ".env": f"DATABASE_URL=postgres://me:{SECRET}@db/shop",
    ".env, plain": f"GREETING={WORDS}",
    ".env, quoted": f"GREETING='two {WORDS} {WORDS}'",
    ".env, exported": f"export GREETING = {WORDS}",
    ".env, words": f"PASSPHRASE=correct {WORDS}",
    "key": "-----BEGIN OPENSSH PRIVATE KEY-----" + SECRET,
    "key, its second line": f"MIIEpAIBAAKCAQEA7bq98{SECRET}",
    "kubeconfig": f"    client-key-data: LS0tLS1CRUdJTi{SECRET}",
    "kubeconfig, token": f"    token: {WORDS}",
    "docker's": f'{{"auths": {{"hub.example.org": {{"auth": "{WORDS}"}}}}}}',
    "netrc": f"machine example.org login me password {WORDS}",
    "pgpass": f"localhost:5432:db:me:{WORDS}",
    "git's credentials": f"https://me:{SECRET}@example.org",
    "htpasswd": f"me:$apr1$abc$def{SECRET}",
    "a web token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{SECRET}",
    "a password": WORDS,
    "a passphrase": f"correct-horse-{WORDS}-staple",
    "AWS": f"aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/{SECRET}",
}
KEPT = (
    "hello world",
    "Requests per second:    12.3.4 [#/sec] (mean)",
    "    Latency     1.50mz   2.3us   9.11ms   98.50%",
    "http_req_duration..............: avg=12.3ms min=0s max=1m2.5s p(95)=9.1ms",
    "name,old time/op,new time/op,delta",
    '{"metrics": {"http_req_duration": {"avg": 12.5, "p(95)": 3e9}}}',
    "Redis/Ping-2    35.4µ ± 3%",
    "2026-11-20T10:00:00Z INFO started in 5ms",
    "BenchmarkOTel/no_agent-8   12.5 ns/op",
    "goos: linux",
    "apiVersion: v1",
)


@pytest.mark.parametrize("line", OPENINGS.values(), ids=OPENINGS)
@pytest.mark.parametrize("show", [show_opening, show_part])
def test_no_secret_of_an_unknown_file_is_quoted(show: Callable[[str], str], line: str) -> None:
    shown = show(line)
    assert SECRET not in shown
    assert WORDS not in shown or (show is show_part and line == WORDS)


@pytest.mark.parametrize("line", KEPT)
def test_words_and_numbers_are_quoted(line: str) -> None:
    assert show_opening(line, 99) == repr(line.strip())


def test_single_word_is_quoted_only_if_shells_print_it() -> None:
    shown = [show_opening(line) for line in ("Killed", "^C", "hunter", "12.5")]
    assert shown == ["'Killed'", "'^C'", "'…'", "'12.5'"]


@given(st.text(max_size=200))
def test_any_text_is_quoted_within_bounds(text: str) -> None:
    assert len(show_opening(text, 40)) <= len(repr("\0")) * 40
    assert len(show_part("a=" * 3_000 + text)) < 70


@pytest.mark.parametrize("line", OPENINGS.values(), ids=OPENINGS)
def test_ingest_shows_no_secret_of_an_unknown_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "notes.txt").write_text(f"{line}\n{line}\n")
    done = benchkit("ingest", "results", cwd=tmp_path)
    printed = done.stdout + done.stderr
    assert "unknown format" in printed
    assert SECRET not in printed
    assert WORDS not in printed


def test_origin_is_stored_and_matched_without_its_credentials(tmp_path: Path) -> None:
    origin = f"https://me:{SECRET}@ci.example.org/job/7?token={SECRET}"
    (tmp_path / "bench.txt").write_text("BenchmarkA 1 5 ns/op\n")
    printed = benchkit("ingest", "bench.txt", "--origin", origin, cwd=tmp_path)
    listed = benchkit("runs", "--origin", origin, "--format", "json", cwd=tmp_path)
    assert (printed.returncode, listed.returncode) == (0, 0)
    assert '"https://REDACTED@ci.example.org/job/7?token=REDACTED"' in listed.stdout
    assert SECRET not in printed.stdout + printed.stderr + listed.stdout + listed.stderr
