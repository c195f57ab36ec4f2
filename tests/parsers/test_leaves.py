"""JSON leaves: equal to the standard library's, with lines, up to any damage."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import cast
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.errors import DataError
from benchkit.parsers import leaves
from benchkit.parsers.documents import Document
from benchkit.parsers.leaves import DamageError, Leaf, Path, walk
from benchkit.parsers.mapped import read_table
from benchkit.reading import bounds
from benchkit.reading.source import Source

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


def flatten(value: object, path: Path = ()) -> Iterator[tuple[Path, object]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from flatten(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from flatten(inner, (*path, index))
    else:
        yield path, value


@given(DOCUMENTS, st.sampled_from([None, 1]))
def test_leaves_equal_those_of_the_standard_library(document: object, indent: int | None) -> None:
    text = json.dumps(document, indent=indent) + "\n"
    leaves = list(walk(text))
    assert [(leaf.path, json.loads(leaf.text)) for leaf in leaves] == list(flatten(document))
    lines = text.split("\n")
    assert all(leaf.text in lines[leaf.line - 1] for leaf in leaves)


@given(DOCUMENTS.filter(lambda document: isinstance(document, dict | list)), st.data())
def test_leaves_before_a_truncation_are_right(document: object, data: st.DataObject) -> None:
    text = json.dumps(document)
    whole = list(walk(text))
    parsed: list[Leaf] = []
    with pytest.raises(DamageError):
        parsed.extend(walk(text[: data.draw(st.integers(0, len(text) - 1))]))
    assert parsed == whole[: len(parsed)]


@pytest.mark.parametrize("text", ["", "{]", "[1", '{"a":1}x', ",", '{"\\u12": 1}', "[1 x]"])
def test_damage_is_reported_with_its_line(text: str) -> None:
    with pytest.raises(DamageError) as raised:
        list(walk(text))
    assert raised.value.line == 1


def test_scalars_are_decoded() -> None:
    number, text, keyword, damaged = (Leaf((), t, 1) for t in ("-1.5", '"a\\nb"', "NaN", '"\\u1"'))
    assert (number.is_number, text.is_number, keyword.is_number) == (True, False, False)
    assert (number.string, text.string, damaged.string) == ("", "a\nb", "")


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(DamageError):
        list(walk("[" * 100_000))


def test_plain_keys_and_strings_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder takes ten times as long, and a summary may have a hundred thousand keys."""
    monkeypatch.delattr(json, "loads")
    leaves = list(walk('{"a b": [{"c": "d"}], "e": {}, "f": 1}'))
    assert [(leaf.path, leaf.string or leaf.text) for leaf in leaves] == [
        (("a b", 0, "c"), "d"),
        (("f",), "1"),
    ]


_DAMAGED = st.lists(
    st.sampled_from(
        ['"a"', '"b\\n"', "{", "}", "[", "]", ":", ",", "1", "true", "\n", " ", '"', "x"]
    )
)


@given(_DAMAGED)
def test_pairs_are_read_like_single_tokens(pieces: list[str]) -> None:
    """Leaves, lines, and place and reason of the stop agree, for invalid documents, too."""

    def collect() -> list[object]:
        leaves: list[object] = []
        try:
            leaves.extend(walk("{" + "".join(pieces)))
        except DamageError as error:
            leaves.append((str(error), error.line))
        return leaves

    fast = collect()
    with patch.object(leaves, "_PAIR", re.compile(r"(?!)")):
        assert collect() == fast


LONG = "k" * 1000


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (walk, f'{{"a": {"[" * 50}1, 2, 3, 4{"]" * 50}}}'),
        (lambda text: Document("x", json.loads(text), 1), f'{{"{LONG}": {{"a": {{}}, "b": 1}}}}'),
        (lambda text: read_table(Source(None, "x", text.encode())), f'{{"{LONG}": {{"a": 1}}}}'),
    ],
)
def test_names_that_are_too_long_in_total_are_refused(
    read: Callable[[str], object], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "NAMES", 1_500)
    with pytest.raises(DataError, match="more than 1,500 characters"):
        deque(cast("Iterable[object]", read(text)))
