"""Every code that the program can raise is in the catalogue, fully described."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from benchkit.audit.catalogue import CATALOGUE, Entry
from benchkit.errors import SEVERITIES

PACKAGE = Path(__file__).resolve().parent.parent.parent / "benchkit"
CODE = re.compile(r"\bcode=\"(B\d{3})\"")
SOURCES = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}


def raised() -> set[str]:
    outside = (text for path, text in SOURCES.items() if "catalogue" not in path.parts)
    return {code for text in outside for code in CODE.findall(text)}


def test_every_raised_code_is_documented() -> None:
    assert len(raised()) > 30
    assert raised() - CATALOGUE.keys() == set()


def test_no_code_is_documented_twice() -> None:
    inside = [text for path, text in SOURCES.items() if "catalogue" in path.parts]
    written = [code for text in inside for code in CODE.findall(text)]
    assert sorted(written) == list(CATALOGUE)


@pytest.mark.parametrize("entry", CATALOGUE.values(), ids=lambda entry: entry.code)
def test_entry_is_complete(entry: Entry) -> None:
    assert re.fullmatch(r"B\d{3}", entry.code)
    assert all(getattr(entry, field.name) for field in fields(Entry))
    assert set(entry.severity.split(" or ")) <= set(SEVERITIES)
    assert not entry.says.endswith(".")
    assert all(text.endswith(".") for text in (entry.what, entry.why, entry.do))
