"""Adversarial texts for a regular expression: its alphabet, after the prefix of its repeats."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable
from itertools import product
from random import Random
from typing import Any

Expression = re.Pattern[str] | re.Pattern[bytes]

_PALETTE = "a1 \n.-:/\"'=,\t"
#: The structure of a parsed expression is undocumented and untyped.
Node = Any
_parser: Node = importlib.import_module("re._parser")


def adversarial(expression: Expression, limit: int) -> list[tuple[str, str]]:
    """Return pairs (prefix, token) to measure, at most ``limit`` of each of two kinds.

    The first kind repeats what the expression repeats, after the text that leads to it; the second
    pairs any leading text with any token of the expression's alphabet.
    """
    pattern = expression.pattern
    text = pattern if isinstance(pattern, str) else pattern.decode("latin-1")
    example = _Example()
    whole = example.write(_parser.parse(text, expression.flags & ~re.UNICODE))
    prefixes = list(dict.fromkeys(("", *example.prefixes, whole)))
    singles = list(dict.fromkeys((*filter(None, prefixes), *example.tokens, "\n", " ")))
    lines = [f"{token}\n" for token in singles if "\n" not in token]
    doubles = ["".join(two) for two in product(example.tokens, repeat=2) if two[0] != two[1]]
    texts = [list(product(prefixes, group)) for group in (singles, lines, doubles)]
    random = Random(repr(text))  # noqa: S311 - the same texts in every run
    groups = [(list(example.repeats), limit), *((group, limit // 3) for group in texts)]
    shares = (random.sample(group, min(len(group), most)) for group, most in groups)
    return list(dict.fromkeys(pair for share in shares for pair in share))


class _Example:
    """A text that an expression matches, with the positions of its repeats and its alphabet.

    ``repeats`` holds the text that leads to a repeat, and each text that it may repeat.
    """

    def __init__(self) -> None:
        self.repeats: dict[tuple[str, str], None] = {}
        self.prefixes: dict[str, None] = {}
        self.tokens: dict[str, None] = {}
        self._groups: dict[int, str] = {}

    def write(self, items: Iterable[Node], before: str = "") -> str:
        """Return an example of a sequence; ``before`` is the text that leads to it."""
        text = literal = ""
        for kind, value in items:
            if str(kind) == "LITERAL":
                literal += chr(value)
                self.tokens[chr(value)] = None
            elif literal:
                self.tokens[literal] = None
                literal = ""
            text += self._write(str(kind), value, before + text)
        if literal:
            self.tokens[literal] = None
        return text

    def _write(self, kind: str, value: Node, before: str) -> str:
        text = ""
        match kind:
            case "LITERAL":
                text = chr(value)
            case "NOT_LITERAL":
                text = self._choose(c for c in _PALETTE if c != chr(value))
            case "ANY":
                text = self._choose("a :")
            case "IN":
                text = self._choose(_members(value))
            case "BRANCH":
                text, *_ = [self.write(branch, before) for branch in value[1]]
            case "SUBPATTERN":
                text = self._groups[value[0]] = self.write(value[3], before)
            case "ATOMIC_GROUP":
                text = self.write(value, before)
            case "GROUPREF":
                text = self._groups.get(value, "")
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                text = self._repeat(value, before)
            case "ASSERT" | "ASSERT_NOT":
                self.write(value[1], before)
        return text

    def _repeat(self, value: Node, before: str) -> str:
        low, high, body = value
        outside, self.tokens = self.tokens, {}
        text: str = self.write(body, before)
        if high > 1:
            self.prefixes[before] = None
            self.tokens[text] = None
            self.repeats |= dict.fromkeys((before, each) for each in self.tokens if each)
        self.tokens = outside | self.tokens
        return text * max(int(low), 1)

    def _choose(self, characters: Iterable[str]) -> str:
        members = list(dict.fromkeys(characters))[:4] or ["a"]
        self.tokens |= dict.fromkeys(members)
        return members[0]


def _members(items: Iterable[Node]) -> list[str]:
    """Return characters of a class: a few of each of its parts."""
    kinds = [(str(kind), value) for kind, value in items]
    inside = [text for kind, value in kinds for text in _part(kind, value)]
    if kinds[0][0] != "NEGATE":
        return inside
    return [c for c in _PALETTE if not any(_holds(kind, value, c) for kind, value in kinds)]


def _part(kind: str, value: Node) -> str:
    if kind == "LITERAL":
        return chr(value)
    if kind == "RANGE":
        return chr(value[0])
    if kind == "CATEGORY":
        return "".join(c for c in _PALETTE if _holds(kind, value, c))[:3]
    return ""


def _holds(kind: str, value: Node, character: str) -> bool:
    if kind == "LITERAL":
        return chr(value) == character
    if kind == "RANGE":
        return bool(value[0] <= ord(character) <= value[1])
    if kind == "CATEGORY":
        name = str(value).removeprefix("CATEGORY_")
        regex = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}[name.removeprefix("NOT_")]
        return (re.match(regex, character) is None) == name.startswith("NOT_")
    return False
