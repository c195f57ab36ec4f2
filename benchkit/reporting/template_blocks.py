"""Blocks of a template that nothing shows, since no template it extends has them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from jinja2 import Environment
    from jinja2.nodes import Block, Node, Template


def require_blocks(environment: Environment, path: Path) -> None:
    """Refuse a template that fills a block which none of those it extends has.

    Raises
    ------
    ConfigError
        With path and line, and the block that may have been meant.
    jinja2.TemplateError
        If a template cannot be parsed, or one that it extends is not there.
    """
    source, _ = _read(environment, path.name)
    tree = environment.parse(source, path.name, str(path))
    known = {block.name for parent in _list_parents(environment, tree) for block in _all(parent)}
    for block in _list_outer(tree) if known else ():
        if block.name not in known:
            near = difflib.get_close_matches(block.name, sorted(known), n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise ConfigError(
                f"the templates that it extends have no block {block.name!r}",
                where=f"{path}:{block.lineno}",
                hint=f"{meant}existing blocks: {', '.join(sorted(known))}",
            )


def _list_parents(environment: Environment, tree: Template) -> Iterator[Template]:
    """Yield the templates that one extends, as far as their names are written out."""
    from jinja2.nodes import Const, Extends

    seen: set[str] = set()
    while (extends := tree.find(Extends)) and isinstance(extends.template, Const):
        name = str(extends.template.value)
        if name in seen:
            return
        seen.add(name)
        source, file = _read(environment, name)
        tree = environment.parse(source, name, file)
        yield tree


def _read(environment: Environment, name: str) -> tuple[str, str | None]:
    if environment.loader is None:
        raise TypeError("an environment without a loader has no templates")
    return environment.loader.get_source(environment, name)[:2]


def _all(tree: Template) -> Iterator[Block]:
    from jinja2.nodes import Block

    return tree.find_all(Block)


def _list_outer(node: Node) -> Iterator[Block]:
    """Yield the blocks that stand in no other: those within one are its own."""
    from jinja2.nodes import Block

    for child in node.iter_child_nodes():
        if isinstance(child, Block):
            yield child
        else:
            yield from _list_outer(child)
