"""Every sentence that a person can read, in one listing that is reviewed as a diff.

The listing is `golden/strings.txt`: errors, findings, notes, headers, helps, labels and templates.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import benchkit
from benchkit.cli import application

if TYPE_CHECKING:
    from conftest import Golden
    from typer._click.core import Command

PACKAGE = Path(benchkit.__file__).parent
#: Packages that match tool output: only strings that begin like a sentence of benchkit are listed.
MATCHING = {"parsers", "reading", "redaction"}
_SENTENCE = re.compile(r"[a-z{`].* .* ", re.DOTALL)
_TEXT = re.compile(r"(?=.*[A-Za-z]{2}).*\S .*\S|\w.* |.* \w", re.DOTALL)
#: Patterns, types and SQL.
_CODE = re.compile(
    r"\\[sSdDwWbAZ(\[.*+]|\(\?|\[\^|\)\?|\]\*|[+*]\+|\*\)|^[\w.]+(?:\[.*\])? \| |(?:SELECT|CREATE) "
)
_TAG = re.compile(r"\{[{%#].*?[}%#]\}|<(?:script|style).*?</(?:script|style)>|<[^>]*>", re.DOTALL)
_READING = {"startswith", "endswith", "removeprefix", "removesuffix", "split", "partition", "find"}


def test_every_sentence_is_listed(golden: Golden) -> None:
    lines = [*_list_literals(), *_list_helps(), *_list_templates()]
    golden.check("strings.txt", "\n".join(dict.fromkeys(lines)) + "\n")


def _list_literals() -> Iterator[str]:
    for path in sorted(PACKAGE.rglob("*.py")):
        tree = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        skipped = set(_skip(tree))
        name = path.relative_to(PACKAGE).with_suffix("").as_posix()
        headers = set(_list_headers(tree))
        nodes = [n for n in tree if isinstance(n, ast.JoinedStr | ast.Constant)]
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset)):
            text = "" if node in skipped else _render(node)
            if node in headers or _is_read(text, name.partition("/")[0]):
                yield f"{name}: {text.replace(chr(10), '⏎')}"


def _list_headers(tree: list[ast.AST]) -> Iterator[ast.AST]:
    for node in tree:
        match node:
            case ast.Call(func=ast.Name(id="Column"), args=[_, ast.Constant() as header, *_]):
                yield header


def _skip(tree: list[ast.AST]) -> Iterator[ast.AST]:
    """Yield strings nobody reads (docstrings, patterns, annotations, keys) and parts of others."""
    for node in tree:
        match node:
            case ast.Expr(value=ast.Constant() as constant):
                yield constant
            case ast.JoinedStr(values=values):
                yield from values
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re")), args=args):
                yield from (part for each in args for part in ast.walk(each))
            case ast.Call(func=ast.Attribute(attr=attr), args=args) if attr in _READING:
                yield from args
            case ast.Compare():
                yield from ast.walk(node)


def _render(node: ast.JoinedStr | ast.Constant) -> str:
    """Return the text with the names of its placeholders, and … for whole expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(
        _render(part)
        if isinstance(part, ast.Constant)
        else f"{{{ast.unparse(part.value)}}}"
        if isinstance(part, ast.FormattedValue) and isinstance(part.value, ast.Name | ast.Attribute)
        else "{…}"
        for part in node.values
    )


def _is_read(text: str, room: str) -> bool:
    pattern = _SENTENCE if room in MATCHING else _TEXT
    return bool(pattern.match(text)) and not _CODE.search(text)


def _list_helps() -> Iterator[str]:
    """Yield the first paragraphs of the commands' help texts, which are docstrings."""

    def walk(command: Command, name: str) -> Iterator[str]:
        yield f"help: {name}: {' '.join((command.help or '').split())}"
        for each in getattr(command, "commands", {}).values():
            yield from walk(each, f"{name} {each.name}")

    yield from walk(typer.main.get_command(application("")), "benchkit")


def _list_templates() -> Iterator[str]:
    for path in sorted(PACKAGE.glob("reporting/templates/*.html")):
        for line in _TAG.sub("\n", path.read_text(encoding="utf-8")).splitlines():
            if _is_read(line.strip(), "reporting"):
                yield f"{path.relative_to(PACKAGE).as_posix()}: {line.strip()}"
