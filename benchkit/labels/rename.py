"""Rules that make benchmark names of two sides equal: `s#Overhead_Baseline/#Overhead/#`.

Names that never match compare nothing, and the rule that brings them together belongs on the
command line, not in the raw files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from benchkit.config.expressions import LONGEST, Expression, compile_expression
from benchkit.errors import ConfigError

_EXAMPLE = r"write it like 's#Overhead(_Baseline|/OTel_\w+)/#Overhead/#'"
#: Characters of a name that rules leave.
_LONGEST = 10_000


@dataclass(frozen=True, slots=True)
class Rename:
    r"""One rule.

    Parameters
    ----------
    expression : Expression
        What to look for, anywhere in a name.
    replacement : str
        As `re.sub` takes it (``\1`` is the first group).
    count : int
        How many matches to replace; 0 is all.
    """

    expression: Expression
    replacement: str
    count: int = 1

    def apply(self, name: str) -> str:
        """Return the name as the rule leaves it.

        Examples
        --------
        >>> parse_rename("s#_(Baseline|Enabled)/#/#").apply("Overhead_Baseline/Ping")
        'Overhead/Ping'
        """
        name = self.expression.replace(self.replacement, name, self.count)
        if len(name) > _LONGEST:
            raise ConfigError(
                f"{self.expression.shown!r} makes a name of {len(name):,} characters",
                where="rename",
                hint=f"a name can have up to {_LONGEST:,} characters",
            )
        return name


def split_variant(name: str, rule: tuple[str, bool] | tuple[()]) -> str:
    """Return the variant that a benchmark's name tells, empty if it tells none.

    Parameters
    ----------
    rule : (pattern, lower) or ()
        A regular expression with a group ``variant``, and whether it is written in lower case.

    Examples
    --------
    >>> split_variant("Overhead/OTel_Enabled/Ping", ("OTel_(?P<variant>[A-Za-z]+)", True))
    'enabled'
    """
    if not rule:
        return ""
    pattern, lower = rule
    match = compile_expression(pattern, "split", "").search(name)
    found = (match["variant"] or "") if match else ""
    return found.lower() if lower else found


def parse_rename(text: str) -> Rename:
    """Read a rule: ``s``, any delimiter, pattern, replacement, and the flags ``g`` and ``i``.

    Parameters
    ----------
    text : str
        The delimiter stands for itself after a backslash. Without ``g`` only the first match is
        replaced.

    Raises
    ------
    ConfigError
        If the rule is not of this form, or its pattern or replacement is wrong.
    """
    mark = text[1:2]
    if text[:1] != "s" or not mark or mark.isalnum() or mark in "\\ \n":
        msg = f"{text!r} is not a rename rule"
        raise ConfigError(msg, where="rename", hint=_EXAMPLE)
    parts = re.split(rf"(?<!\\){re.escape(mark)}", text[2:])
    if len(parts) != 3 or not parts[0]:
        msg = f"{text!r} needs a pattern and a replacement, each followed by {mark!r}"
        raise ConfigError(msg, where="rename", hint=_EXAMPLE)
    pattern, replacement = (part.replace(f"\\{mark}", mark) for part in parts[:2])
    if strange := set(parts[2]) - {"g", "i"}:
        msg = f"{text!r} has the unknown flag {min(strange)!r}"
        raise ConfigError(
            msg, where="rename", hint="the flags are g (all matches) and i (ignore case)"
        )
    return make_rename(pattern, replacement, flags=parts[2])


def make_rename(pattern: str, replacement: str, *, flags: str = "g") -> Rename:
    """Make a rule of a pattern and its replacement, as the configuration file lists them.

    Raises
    ------
    ConfigError
        If the pattern is no regular expression or the replacement names a group it lacks.
    """
    if len(replacement) > LONGEST:
        msg = f"a replacement of {len(replacement):,} characters is longer than {LONGEST:,}"
        raise ConfigError(msg, where="rename", hint=_EXAMPLE)
    expression = compile_expression(
        pattern, "rename", _EXAMPLE, re.IGNORECASE if "i" in flags else re.NOFLAG
    )
    try:
        re.compile(f"{pattern}|").sub(replacement, "")
    except (re.error, IndexError) as error:
        msg = f"the rule {pattern!r} -> {replacement!r} is invalid: {error}"
        raise ConfigError(msg, where="rename", hint=_EXAMPLE) from error
    return Rename(expression, replacement, 0 if "g" in flags else 1)
