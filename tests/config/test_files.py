"""Strings and keys written as TOML are read back unchanged."""

from __future__ import annotations

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from benchkit.config.files import write_key, write_string

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
@example('"\\\x7f\x1b\u200b\n')
def test_strings_and_keys_round_trip_and_are_printable(text: str) -> None:
    line = f"{write_key(text)} = {write_string(text)}"
    assert tomllib.loads(line) == {text: text}
    assert line.isprintable()


def test_non_text_byte_is_escaped() -> None:
    line = "x = " + write_string("a\udc80")
    assert tomllib.loads(line) == {"x": "a\\udc80"}
