"""Strings and keys of TOML that are written are read back as they were."""

from __future__ import annotations

import tomllib

from hypothesis import example, given
from hypothesis import strategies as st

from benchkit.config.files import write_key, write_string

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(TEXTS)
@example('"\\\x7f\x1b\u200b\n')
def test_a_string_and_a_key_read_back_as_they_were_and_act_in_no_terminal(text: str) -> None:
    line = f"{write_key(text)} = {write_string(text)}"
    assert tomllib.loads(line) == {text: text}
    assert line.isprintable()


def test_a_byte_that_is_no_text_is_spelled_out() -> None:
    line = "x = " + write_string("a\udc80")
    assert tomllib.loads(line) == {"x": "a\\udc80"}
