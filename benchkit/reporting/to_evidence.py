"""Plans and calibrations as JSON, from frozen records.

A script reads the numbers that a table rounds; the keys are the fields, and later versions add some
and rename none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime

from benchkit.reporting.json_text import format_json

FORMAT_VERSION = 2


def to_json(name: str, record: object, sentences: Sequence[str], **more: object) -> str:
    """Write a record as JSON; floats round-trip, unknown numbers are null.

    Parameters
    ----------
    name : str
        Key of the record.
    sentences : sequence of str
        The lines above the tables.
    **more : str, int or sequence of str
        Further keys, before the record.
    """
    document = {
        "format_version": FORMAT_VERSION,
        **more,
        name: _plain(record),
        "sentences": list(sentences),
    }
    return format_json(document) + "\n"


def _plain(value: object) -> object:
    if is_dataclass(value):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return value
