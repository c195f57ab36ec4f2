"""A user-defined path pattern: `--layout '{scenario}/{variant}/{run}.{ext}'`.

It reads an existing folder layout without moving files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from benchkit.config.expressions import Expression, compile_expression
from benchkit.errors import ConfigError, Diagnostic
from benchkit.labels.walk import DIGITS
from benchkit.regexes import regex

#: What each placeholder matches; any other name is a param and matches within one component.
_WITHIN = "[^/]+"
_MATCHES = {
    "variant": _WITHIN,
    "tool": "[A-Za-z0-9_]+",
    "run": f"[0-9]{{1,{DIGITS}}}",
    "shard": f"[0-9]{{1,{DIGITS}}}",
    "benchmark": _WITHIN,
    "group": ".+",
    "ext": "[^/.]+",
    "anything": "[^/]*",
}
_ALIASES = {"repeat": "run", "scenario": "benchmark", "concurrency": "connections"}
_WILD = "[^/]*"
_TOKEN = regex(r"\{([^{}]*)\}|((?:\*|…|\.\.\.)+)|(/|[^{}*…./]+|\.|[{}])")
#: A variable part: a placeholder, a repetition of one, or a ``*``.
_OPEN = regex(r"\((?!\?)|\\\d|\[\^/\]\*")
_EXAMPLE = "use a pattern like '{variant}/{tool}-{run}.{ext}'"
_FEWER = "use fewer placeholders in one part of the path"


@dataclass(frozen=True, slots=True)
class Template:
    """A compiled pattern.

    Parameters
    ----------
    expression : Expression
        Matches the whole posix path, or its last components, without a trailing ``.gz``.
    depth : int
        Number of its components; 0 if a group may span several.
    names : tuple of str
        The labels of all capturing groups after the first, which matches the leading folders.
    wild : bool
        Whether the pattern leaves part of the file name open.
    extension : bool
        Whether the pattern includes the extension; if not, it is matched without it.
    """

    expression: Expression
    depth: int
    names: tuple[str, ...]
    wild: bool
    extension: bool

    def read(self, folder: str, name: str, stem: str) -> dict[str, str] | None:
        """Return the labels from a path, or None if the pattern does not match.

        Parameters
        ----------
        folder : str
            Posix folder relative to the root, or empty.
        name, stem : str
            The file's name, and the name without its extension.

        Returns
        -------
        dict of label to str
            ``leading`` contains the folders before the pattern.
        """
        tail = name.removesuffix(".gz") if self.extension else stem
        parts = [*folder.split("/"), tail] if folder else [tail]
        leading, path = "/".join(parts[: -self.depth]), "/".join(parts[-self.depth :])
        match = self.expression.fullmatch(path)
        if match is None:
            return None
        labels = dict(zip(self.names, match.groups()[1:], strict=True))
        return labels | {"leading": match[1] or leading}


@lru_cache(maxsize=64)
def compile_pattern(pattern: str) -> Template:
    """Compile a path pattern.

    Parameters
    ----------
    pattern : str
        Path components with ``{variant} {tool} {run} {repeat} {shard} {benchmark} {scenario}
        {group} {ext} {anything}``; any other name becomes a param; ``*`` and ``…`` match any text
        within one component. The pattern is matched to the last components of a path.

    Raises
    ------
    ConfigError
        If a brace is unmatched, a placeholder is empty or misspelt, or there is none.

    Examples
    --------
    >>> compile_pattern("{scenario}/{variant}-{run}.{ext}").read("ping", "otlp-3.txt", "otlp-3")
    {'benchmark': 'ping', 'variant': 'otlp', 'run': '3', 'ext': 'txt', 'leading': ''}
    """
    text = pattern.strip().replace("\\", "/").removeprefix("./").strip("/").removesuffix(".gz")
    names: list[str] = []
    tokens = list(_TOKEN.finditer(text))
    body = _join([_part(match, names, pattern) for match in tokens])
    if not names:
        msg = f"the pattern {pattern!r} has no placeholder"
        raise ConfigError(msg, where="layout", hint=_EXAMPLE)
    last = text.rpartition("/")[2]
    is_deep = "group" in names
    regex = rf"\A(?:(.*)/)?{body}" if is_deep else rf"\A(){body}"
    return Template(
        expression=compile_expression(regex, "layout", _EXAMPLE, shown=pattern, remedy=_FEWER),
        depth=0 if is_deep else text.count("/") + 1,
        names=tuple(names),
        wild=any(sign in last for sign in ("*", "…", "...", "{anything}")),
        extension="." in last.replace("...", ""),
    )


def _join(parts: Sequence[str]) -> str:
    """Join the parts; text between two ``*`` is searched for only once, from the left."""
    done: list[str] = []
    for part in parts:
        if part == _WILD and done[-2:-1] == [_WILD] and not _OPEN.match(done[-1]):
            done[-2:] = [f"(?:(?!{done[-1]})[^/])*+{done[-1]}"]
        if part != _WILD or done[-1:] != [_WILD]:
            done.append(part)
    return "".join(done)


def _part(match: re.Match[str], names: list[str], pattern: str) -> str:
    """Write one token of the pattern as a regular expression."""
    field, wild, literal = match.groups()
    if field is None:
        if literal in ("{", "}"):
            msg = f"the pattern {pattern!r} has an unmatched brace"
            raise ConfigError(msg, where="layout", hint=_EXAMPLE)
        return _WILD if wild else re.escape(literal)
    name = _label(field, pattern)
    if name == "anything":
        return _WILD
    if name in names:
        return f"\\{names.index(name) + 2}"
    names.append(name)
    return f"({_MATCHES.get(name, _WITHIN)})"


def _label(field: str, pattern: str) -> str:
    """Return the label of a placeholder."""
    name = _ALIASES.get(field, field)
    if name in _MATCHES or field in _ALIASES:
        return name
    known = [*_MATCHES, *_ALIASES]
    near = get_close_matches(field, known, 1, 0.8)
    if near or not field.isidentifier():
        suggestion = (
            f"did you mean {{{near[0]}}}?" if near else f"known placeholders: {', '.join(known)}"
        )
        msg = f"the pattern {pattern!r} has the unknown placeholder {{{field}}}"
        raise ConfigError(msg, where="layout", hint=suggestion)
    return name


def list_unmatched(pattern: str, files: Mapping[str, bool]) -> list[Diagnostic]:
    """Report which files the pattern of a layout should match but does not.

    Parameters
    ----------
    files : mapping of str to bool
        The files, and whether the pattern matches each.

    Raises
    ------
    ConfigError
        If it matches none, so that every label would come from the built-in patterns.
    """
    others = [file for file, is_matched in files.items() if not is_matched]
    hint = f"expected paths that end like {show_example(pattern)}"
    named = " and ".join(others[:2])
    if others and len(others) == len(files):
        more = f", the first of {len(files)} files" if len(files) > 2 else ""
        what = f"the pattern {pattern!r} does not match {named}{more}"
        raise ConfigError(what, where="--layout", hint=hint)
    if not others:
        return []
    more = f" and {len(others) - 2} more" if len(others) > 2 else ""
    what = (
        f"the pattern {pattern!r} does not match {len(others)} of {len(files)} files, which are "
        f"labelled by the built-in patterns: {named}{more}"
    )
    return [Diagnostic("--layout", 0, what, hint, "warning", is_remark=True)]


def show_example(pattern: str) -> str:
    """Return an example path that a pattern matches.

    Examples
    --------
    >>> show_example("{scenario}/{variant}-{run}.{ext}")
    'scenario/variant-1.txt'
    """
    samples = {
        "run": "1",
        "repeat": "1",
        "shard": "1",
        "tool": "wrk",
        "ext": "txt",
        "anything": "any",
    }
    text = pattern.strip().removeprefix("./").strip("/")
    return _TOKEN.sub(lambda match: _show_token(match, samples), text)


def _show_token(match: re.Match[str], samples: dict[str, str]) -> str:
    name, wild = match[1], match[2]
    return "any" if wild else match[0] if name is None else samples.get(name, name)
