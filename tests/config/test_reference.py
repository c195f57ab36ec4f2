"""The reference of benchkit.toml: its JSON schema and its list contain the keys that are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchkit import config
from benchkit.config.reference import Key, json_schema, list_settings
from benchkit.errors import ConfigError

PUBLISHED = Path(config.__file__).with_name("benchkit.schema.json")


def test_published_json_schema_matches_the_keys(request: pytest.FixtureRequest) -> None:
    text = json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("--update"):
        PUBLISHED.write_text(text, encoding="utf-8")
    assert PUBLISHED.read_text(encoding="utf-8") == text


def write(key: Key, name: str) -> dict[str, object]:
    """Return settings with one key, whose value has an invalid type."""
    *outer, last = key.table.strip("[]").split(".")
    content: object = {name: object()}
    if key.table.startswith("[["):
        content = [content]
    return {outer[0]: {last: content}} if outer else {last: content}


@pytest.mark.parametrize("key", list(list_settings()), ids=lambda key: f"{key.table}{key.name}")
def test_listed_key_is_known_and_a_misspelt_one_is_not(key: Key) -> None:
    with pytest.raises(ConfigError) as known:
        config.parse(write(key, key.name))
    assert "unknown key" not in str(known.value)
    with pytest.raises(ConfigError, match="unknown key"):
        config.parse(write(key, f"{key.name}x"))
