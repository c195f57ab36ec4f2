"""JSON with values of other types than the tool writes costs lines, never the parser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from benchkit.parsers import registry
from benchkit.parsers.base import Format, Reading, Source

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: The JSON texts that replace each value in turn.
HOSTILE = (
    "null", "true", "-1", "1e999", "NaN", "5e-324", "9" * 300, '""', '"\\ud800"', "[[1]]",
    '{"":{}}', '["x"]', '"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59-23:59"',
    '"http://[::1"',
)  # fmt: skip
_PLACE = "\x00"


def _places(value: object, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Yield the place of every value, but only of the first three entries of a list."""
    yield place
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _places(each, (*place, key))
    elif isinstance(value, list):
        for index, each in enumerate(value[:3]):
            yield from _places(each, (*place, index))


def _replace(document: object, place: tuple[str | int, ...], text: str) -> str:
    """Return a document with ``text`` at a place."""
    if not place:
        return text
    copy: Any = json.loads(json.dumps(document))
    *above, last = place
    parent = copy
    for key in above:
        parent = parent[key]
    parent[last] = _PLACE
    return json.dumps(copy).replace(json.dumps(_PLACE), text)


@cache
def _documents() -> dict[str, tuple[Format, str, Any]]:
    """Return each format's smallest document: the format, the text before it, and the document."""
    documents: dict[str, tuple[Format, str, Any]] = {}
    small = (path for path in FIXTURES.rglob("*") if path.is_file())
    for path in sorted(small, key=lambda each: (each.stat().st_size, each)):
        text = path.read_bytes()[: 1 << 17].decode(errors="replace")
        before, brace, rest = text.partition("{")
        try:
            whole = json.loads(text if text[:1] == "[" else brace + rest)
            (form,) = registry.identify(Source(None, path.name, text.encode()))
        except Exception:  # noqa: BLE001, S112 - another kind of file
            continue
        documents.setdefault(form.name, (form, "" if text[:1] == "[" else before, whole))
    return documents


@pytest.mark.parametrize("name", _documents())
def test_value_of_another_type_never_raises(name: str) -> None:
    form, before, document = _documents()[name]
    for place in [*_places(document)][:150]:
        for text in HOSTILE:
            data = (before + _replace(document, place, text)).encode()
            try:
                records = list(form.parse(Source(None, "x.json", data)))
            except Exception as error:
                error.add_note(f"{place} is {text[:40]}")
                raise
            for run in records:
                if isinstance(run, Reading) and run.started_at is not None:
                    assert 1970 <= run.started_at.astimezone(UTC).year < 2262, (place, text)
