"""A sign is a necessary condition: it never hides a format that would recognise a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.parsers import registry
from benchkit.reading.signs import first_visible
from benchkit.reading.source import Source, UnreadableError

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
FILES = sorted(path for path in FIXTURES.rglob("*") if path.is_file())


def test_every_built_in_format_has_a_sign() -> None:
    assert all(each.words or each.starts for each in registry.formats())


@pytest.mark.parametrize("folder", sorted({path.relative_to(FIXTURES).parts[0] for path in FILES}))
def test_signs_hide_no_format(folder: str) -> None:
    for path in FILES:
        if path.relative_to(FIXTURES).parts[0] != folder:
            continue
        try:
            source = Source.load(path)
            heads = [source.head(), *source.windows()]
        except UnreadableError:
            continue
        for head in heads:
            claims = {one.name for one in registry.formats() if one.recognises(head)}
            assert claims <= {one.name for one in registry.candidates(head)}, path


def test_binary_source_is_offered_to_every_format() -> None:
    head = Source(None, "x", b"\x00\x01").head()
    assert len(registry.candidates(head)) == len(registry.formats())


@pytest.mark.parametrize(("text", "first"), [("\n  {x", "{"), ("\ufeff7", "7"), (" \n", "\n")])
def test_first_visible_character(text: str, first: str) -> None:
    assert first_visible(text) == first
