"""Rename rules that make the benchmark names of two sides equal.

`Overhead_Baseline/Ping` and `Overhead/Enabled/Ping` share no name, so nothing is compared. A
message that suggests the rule helps more than one that only reports this.

This rule makes the two names equal: `s#Overhead_Baseline/#Overhead/#`.

The rule that matches names belongs on the command line, not in the raw files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchkit.config.expressions import LONGEST, Expression, compile_expression
from benchkit.errors import ConfigError
from benchkit.regexes import regex

_DELIMITERS = "#!@~%"
_EXAMPLE = r"write it like 's#Overhead(_Baseline|/OTel_\w+)/#Overhead/#'"
#: Maximum length of a renamed benchmark.
_LONGEST = 10_000


def suggest_rename(baseline: Sequence[str], variant: Sequence[str]) -> str:
    """Suggest a rule that makes names of two sides equal.

    Parameters
    ----------
    baseline, variant : sequence of str
        The names that only this side has.

    Returns
    -------
    str
        In the syntax of `parse_rename`; empty if no rule makes at least one name of each side equal
        without making two names of one side equal.

    Examples
    --------
    >>> suggest_rename(["Base/Ping", "Base/Get"], ["With/Ping", "With/Get", "With/Del"])
    's#^(Base|With)/##'
    """
    sides = (sorted(set(baseline)), sorted(set(variant)))
    if not all(sides):
        return ""
    for backwards in (False, True):
        rule = _rule(_affix(sides[0], backwards), _affix(sides[1], backwards), backwards)
        if rule and _helps(rule, *sides):
            return rule
    return ""


def suggest_new_name(baseline: Sequence[str], variant: Sequence[str]) -> str:
    """Suggest the rule that renames the baseline's only unmatched name to the variant's.

    Returns
    -------
    str
        Empty unless each side has exactly one such name, under the same headings.

    Examples
    --------
    >>> suggest_new_name(["Get"], ["Fetch"])
    's#^Get$#Fetch#'
    """
    if len(baseline) != 1 or len(variant) != 1:
        return ""
    old, new = (names[0].rpartition(" / ")[2] for names in (baseline, variant))
    pattern = f"^{re.escape(old)}$"
    mark = next((mark for mark in _DELIMITERS if mark not in pattern + new), "")
    if not mark or re.search(r"['\\]", new) or "'" in pattern:
        return ""
    rule = f"s{mark}{pattern}{mark}{new}{mark}"
    return rule if _helps(rule, baseline, variant) else ""


def commonprefix(names: Sequence[str]) -> str:
    """Return the longest common prefix of all names, character by character."""
    first, last = min(names), max(names)
    return next((first[:i] for i, letter in enumerate(first) if last[i : i + 1] != letter), first)


def _affix(names: Sequence[str], backwards: bool) -> str:
    """Return the common prefix (or suffix) of all names, cut at the boundary of a part."""
    if backwards:
        common = commonprefix([name[::-1] for name in names])[::-1]
        start = re.search(r"[/_-]", common)
        return common[start.start() :] if start else ""
    common = commonprefix(list(names))
    return common[: common.rfind("/") + 1]


def _rule(mine: str, its: str, backwards: bool) -> str:
    """Write the rule that replaces two prefixes (or suffixes) by their common part."""
    head = commonprefix([mine, its])
    mine, its = mine[len(head) :], its[len(head) :]
    tail = commonprefix([mine[::-1], its[::-1]])[::-1]
    parts = sorted((mine[: len(mine) - len(tail)], its[: len(its) - len(tail)]))
    choice = "|".join(re.escape(part) for part in sorted(parts, key=len, reverse=True))
    pattern = f"{re.escape(head)}({choice}){re.escape(tail)}"
    pattern = f"{pattern}$" if backwards else f"^{pattern}"
    kept = (head and head + tail) if not backwards else (tail and head + tail)
    mark = next((mark for mark in _DELIMITERS if mark not in pattern + kept), "")
    if parts[0] == parts[1] or not mark or re.search(r"['\\]", kept) or "'" in pattern:
        return ""
    return f"s{mark}{pattern}{mark}{kept}{mark}"


def _helps(rule: str, baseline: Sequence[str], variant: Sequence[str]) -> bool:
    try:
        apply = parse_rename(rule).apply
    except ConfigError:
        return False
    mine, its = ({_rename(apply, name) for name in names} for names in (baseline, variant))
    kept_apart = len(mine) == len(baseline) and len(its) == len(variant)
    return kept_apart and "" not in mine | its and bool(mine & its)


def _rename(apply: Callable[[str], str], name: str) -> str:
    """Rename a benchmark as the reader does, keeping its leading headings."""
    headings, joint, last = name.rpartition(" / ")
    return f"{headings}{joint}{apply(last)}"


#: Positions of a number in a name, and the replacement for it.
_NUMBERS = (("^[0-9]+$", "all"), ("[-_. ]*[0-9]+$", ""), ("[-_. ]*[0-9]+", ""))
#: A number in a whole name, including its leading headings, which no rule changes.
_ANY_NUMBER = regex(r"\d+")


def suggest_numbers(baseline: Sequence[str], variant: Sequence[str]) -> str:
    """Report that names of two sides differ only in a number, and how to remove it.

    Returns
    -------
    str
        Empty if the names differ in anything else.

    Examples
    --------
    >>> suggest_numbers(["bench-7", "bench-8"], ["bench-10"]).partition(";")[0]
    'the names bench-7 and bench-10 differ only in a number'
    """
    pair = _find_pair(baseline, variant)
    if not pair:
        return ""
    what = f"the names {pair[0]} and {pair[1]} differ only in a number"
    for pattern, replacement in _NUMBERS:
        apply = parse_rename(f"s#{pattern}#{replacement}#").apply
        mine, its = (_rename(apply, name) for name in pair)
        if mine == its and mine:
            rule = f"--rename 's#{pattern}#{replacement}#'"
            runs = f"if it is the run number, add {rule}, or write `Run` before it in a heading"
            return f"{what}; {runs}; if it is a load level, measure both sides at this level"
    return f"{what}; if it is the run number, write `Run` before it in the heading"


def _find_pair(baseline: Sequence[str], variant: Sequence[str]) -> tuple[str, str] | None:
    others = {_ANY_NUMBER.sub("0", name): name for name in reversed(variant)}
    pairs = ((name, others.get(_ANY_NUMBER.sub("0", name))) for name in baseline)
    return next(((name, other) for name, other in pairs if other), None)


@dataclass(frozen=True, slots=True)
class Rename:
    r"""A rename rule.

    Parameters
    ----------
    expression : Expression
        The text to search for, anywhere in a name.
    replacement : str
        In the syntax of `re.sub` (``\1`` is the first group).
    count : int
        Number of matches to replace; 0 for all.
    """

    expression: Expression
    replacement: str
    count: int = 1

    def apply(self, name: str) -> str:
        """Return the name after applying the rule.

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
    """Return the variant in a benchmark's name, empty if there is none.

    Parameters
    ----------
    rule : (pattern, lower) or ()
        A regular expression with a group ``variant``, and whether to convert the variant to lower
        case.

    Examples
    --------
    >>> split_variant("Overhead/OTel_Enabled/Ping", ("OTel_(?P<variant>[A-Za-z]+)", True))
    'enabled'
    """
    if not rule:
        return ""
    pattern, lower = rule
    match = compile_expression(pattern, "split", "").search(name)
    variant = (match["variant"] or "") if match else ""
    return variant.lower() if lower else variant


def parse_rename(text: str) -> Rename:
    """Parse a rule: ``s``, any delimiter, pattern, replacement, and the flags ``g`` and ``i``.

    Parameters
    ----------
    text : str
        A backslash escapes the delimiter. Without ``g``, only the first match is replaced.

    Raises
    ------
    ConfigError
        If the rule does not have this form, or its pattern or replacement is invalid.
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
    """Make a rule from a pattern and its replacement, as listed in the configuration file.

    Raises
    ------
    ConfigError
        If the pattern is not a regular expression, or the replacement names a group that it lacks.
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
