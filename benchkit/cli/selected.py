"""Names in options: of results, of pairs, and of the columns of ``--by``."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import normalize

from benchkit.errors import ConfigError


def compose(names: str | list[str] | None) -> str | list[str] | None:
    """Normalise the accents of names like those of results."""
    if isinstance(names, str):
        return normalize("NFC", names)
    return names and [normalize("NFC", name) for name in names]


def list_values(by: Sequence[str] | None) -> dict[str, str]:
    """Return the columns named with a value; refuse a column with several values."""
    values: dict[str, str] = {}
    for column, equals, value in (text.partition("=") for text in by or ()):
        if equals and values.setdefault(column, value) != value:
            what = f"{column} cannot be both {values[column]!r} and {value!r}"
            hint = "keep one of them, and run the command once for each value"
            raise ConfigError(what, where="--by", hint=hint)
    return values


def find_split(by: Sequence[str] | None) -> str:
    """Return the column that divides the tables; empty if none was named."""
    columns = [text for text in by or () if "=" not in text]
    if len(columns) > 1:
        what = f"cannot split the tables by both {' and '.join(columns)}"
        raise ConfigError(
            what, where="--by", hint="keep one column and write the others as COLUMN=VALUE"
        )
    return columns[0] if columns else ""


def require_values(by: Sequence[str] | None) -> list[str] | None:
    """Refuse a ``--by`` without a value for a single table."""
    for text in by or ():
        if "=" not in text:
            raise ConfigError(
                f"expected COLUMN=VALUE, got {text!r}", where="--by", hint=f"use --by {text}=VALUE"
            )
    return list(by) if by else None


def parse_pairs(texts: Sequence[str] | None) -> list[tuple[str, str]]:
    """Parse ``A:B`` texts."""
    pairs = []
    for text in texts or ():
        baseline, colon, variant = text.partition(":")
        if not (baseline and colon and variant):
            raise ConfigError(
                f"expected BASELINE:VARIANT, got {text!r}",
                where="--pair",
                hint="use BASELINE:VARIANT",
            )
        pairs.append((baseline, variant))
    return pairs
