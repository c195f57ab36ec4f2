"""Expressions are compiled late, and mean the same on a Python with broken possessive groups."""

from __future__ import annotations

import re
import sys

import pytest

from benchkit import regexes
from benchkit.parsers.wrk import reader
from benchkit.regexes import make_atomic, regex


@pytest.mark.skipif(sys.version_info < regexes._SOUND, reason="there possessive groups fail")
@pytest.mark.parametrize(
    ("text", "samples"),
    [
        (r"^(?:- ++)?+(?:\S++ ++\| *+)?+R", ["R", "- R", "web | R", "x R"]),
        (r"(?:ab|a)++c", ["abc", "aabac", "b"]),
        (r"[)(+]*+(x[\]()]{1,2}+)*+y", ["(+)y", "x](x)y", "x]y"]),
        (r"\((?:\d{1,3}+,?){2,3}+\)", ["(1,2,3)", "(12)", "(1)"]),
        (reader._START, ["Running 20s test", "> web | Running", ""]),
    ],
)
def test_atomic_groups_match_as_possessive_ones(text: str, samples: list[str]) -> None:
    atomic = make_atomic(text)
    assert not re.search(r"\)([*+?]|\{\d,?\d?\})\+", atomic)
    for sample in samples:
        assert str(re.match(atomic, sample)) == str(re.match(text, sample))


def test_older_python_gets_atomic_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python 3.11.2, as in Debian 12, does not find `R` with the original expression."""
    monkeypatch.setattr(regexes, "_SOUND", (sys.version_info[0] + 1,))
    assert regex(r"(?:- ++)?+R").pattern == r"(?>(?:- ++)?)R"
    assert regex(rb"(?:\xe9 ++)?+R").pattern == rb"(?>(?:\xe9 ++)?)R"
