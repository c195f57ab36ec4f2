"""Only words of a command that change the test count."""

from __future__ import annotations

import pytest

from benchkit.ingestion.parts import Part
from benchkit.labels.pieces import differences
from benchkit.redaction import redact_command


def list_differences(*commands: str) -> list[str]:
    redacted = [redact_command(each, marked=True) for each in commands]
    parts = [Part(path="a", tool=each.split()[0], shown_command=each) for each in redacted]
    return differences([part.words for part in parts])


@pytest.mark.parametrize(
    ("command", "other"),
    [
        ("wrk -t4 -c100 -d30s http://a/", "wrk -t 4 -c 100 -d 30s 'http://b:81/'"),
        ("wrk -t4 -c100 http://a/", "wrk -t4 -c100 --latency http://a/ > out-2.txt 2>&1"),
        ("ab -n 100 -g 1.tsv http://a/x", "ab -n 100 -g 2.tsv http://a/x"),
        ("k6 run --out json=1.json t.js", "k6 run --out json=2.json t.js"),
        ("k6 run --summary-export=1.json t.js", "k6 run t.js"),
        (
            "vegeta attack -rate=50 -output=1.bin | vegeta report",
            "vegeta attack -rate=50 | tee 2.bin | vegeta report",
        ),
        ("wrk -t4 it's", "wrk -t4 it's"),
    ],
)
def test_commands_of_one_test_have_no_differences(command: str, other: str) -> None:
    assert list_differences(command, other) == ["", ""]


@pytest.mark.parametrize(
    ("command", "other", "expected"),
    [
        ("wrk -s post.lua http://a/", "wrk http://a/", ["-s post.lua", ""]),
        ("wrk -d30s http://a/", "wrk -d60s http://a/", ["-d30s", "-d60s"]),
        ("wrk2 -R1000 http://a/", "wrk2 -R 3000 http://a/", ["-R1000", "-R3000"]),
        ("hey -q 50 http://a/", "hey -q 90 http://a/", ["-q50", "-q90"]),
        ("ab -n 10 -k http://a/x", "ab -n 10 http://a/y", ["-k /x", "/y"]),
        ("wrk http://a/?n=1", "wrk http://a/?n=2", ["/?n=1", "/?n=2"]),
        (
            "hey -H 'Accept: a/b' http://a/",
            "hey -H 'Accept: c/d' http://a/",
            ["Accept: a/b", "Accept: c/d"],
        ),
        (
            "hey -H 'X-Variant: a' http://a/",
            "hey -H 'X-Variant: b' http://a/",
            ["X-Variant: …1c7181b36b92", "X-Variant: …101cfe253375"],
        ),
        (
            "hey -H 'Authorization: Bearer a' http://a/",
            "hey -H 'Authorization: Bearer b' http://a/",
            ["Authorization: …96cc77df72cd", "Authorization: …69946ef4bc10"],
        ),
        (
            "wrk http://a/?key=a",
            "wrk http://a/?key=b",
            ["/?key=…1c7181b36b92", "/?key=…101cfe253375"],
        ),
        (
            "k6 run -e TOKEN=a t.js",
            "k6 run -e TOKEN=b t.js",
            ["TOKEN=…1c7181b36b92", "TOKEN=…101cfe253375"],
        ),
        (
            "load.sh 'Password=a b;Id=1'",
            "load.sh 'Password=a c;Id=1'",
            ["Password=…16d075f5f434", "Password=…223de61c8db2"],
        ),
    ],
)
def test_differing_words_distinguish_tests(command: str, other: str, expected: list[str]) -> None:
    assert list_differences(command, other) == expected
