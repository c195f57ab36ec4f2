"""The cost of every regular expression of the package on adversarial text.

`collect` gathers the expressions with the methods called on them, and `slow` keeps those whose time
grows faster than a text of `soak.adversaries`.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import process_time
from types import ModuleType

import benchkit
from benchkit.parsers import registry
from benchkit.reading import signs
from benchkit.reading.reports import Report
from soak.adversaries import Expression, Node, adversarial

METHODS = frozenset({"search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"})
#: Modules whose expressions users write, or whose own test measures the ones derived from files.
#: Those of reports are compiled from their lines, which `collect` adds; late ones are names.
_SETTINGS = "config", "config.expressions", "labels.rename", "labels.template"
_WRITTEN = (*_SETTINGS, "reading.prefixes", "reading.signs")
BY_USERS = frozenset(f"benchkit.{name}" for name in (*_WRITTEN, "reading.reports", "regexes"))
#: Sizes of text, small first: exponential expressions are detected before they take for ever.
SIZES = (24, 400, 4000)
#: Seconds below which a time is noise.
FLOOR = 0.002
#: Time ratio for four times the text; a linear expression takes 4, a quadratic one 16.
LIMIT = 6.0
_REPEATS, _ENDS = 2, ("\x00", "\n\x00")


@dataclass(frozen=True, slots=True)
class Use:
    """An expression, the module that compiles it, and a method called on it."""

    module: str
    expression: Expression
    method: str


@dataclass(frozen=True, slots=True)
class Slow:
    """A use whose time grows faster than its text.

    The text of ``size`` characters is the prefix, the token again and again, and an end that
    fails; ``ratio`` is its time over that of a quarter of it.
    """

    use: Use
    prefix: str
    token: str
    ratio: float
    seconds: float
    size: int

    def __str__(self) -> str:
        return (
            f"{self.use.module}: {self.use.expression.pattern!r}.{self.use.method}: "
            f"{self.prefix!r} + {self.token!r} * n: {self.seconds:.3f} s at "
            f"{self.size} characters, {self.ratio:.0f}x a quarter of it"
        )


def collect() -> list[Use]:
    """Return every expression of the package with every method called on it.

    Raises
    ------
    LookupError
        If an expression is compiled from what cannot be known without running the code.
    """
    modules = _modules()
    codes = {name: _Code.read(module) for name, module in modules.items()}
    uses = (
        use
        for name, module in modules.items()
        for use in (*_inline(name, module, codes[name]), *_named(name, module, codes))
    )
    anchors = signs.list_anchors(frozenset(each.name for each in registry.formats()))
    others = [Use(signs.__name__, line, "match") for *_, line in anchors]
    for kind in Report.__subclasses__():
        others += [Use(kind.__module__, line.expression, "fullmatch") for line in kind.LINES]
    others += [Use(x.name, x.chatter, "sub") for x in registry.formats() if x.chatter]
    return list(dict.fromkeys((*uses, *others)))


def _modules() -> dict[str, ModuleType]:
    names = [
        module.name
        for module in pkgutil.walk_packages(benchkit.__path__, "benchkit.")
        if not module.name.endswith(("__main__", "._kernel"))
    ]
    return {name: importlib.import_module(name) for name in ("benchkit", *names)}


@dataclass(frozen=True, slots=True)
class _Code:
    """How the source of a module uses names.

    Parameters
    ----------
    tree : Module
    methods : mapping of name to methods
        What is called on a name: ``_RATE.search``.
    handed_on : set of str
        Names that stand by themselves: handed to a function, or looped over.
    imported : set of str
    """

    tree: ast.Module
    methods: dict[str, set[str]]
    handed_on: set[str]
    imported: set[str]
    single: set[str]

    @classmethod
    def read(cls, module: ModuleType) -> _Code:
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        patterns = {name for name, value in vars(module).items() if isinstance(value, re.Pattern)}
        code = cls(tree, {}, set(), set(), {"re", *patterns})
        handled, nodes = set[int](), list(ast.walk(tree))
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                code.imported.update(alias.name for alias in node.names)
            elif isinstance(node, ast.Attribute):
                handled.add(id(node.value))
                code.methods.setdefault(_last(node.value), set()).add(node.attr)
        for node in nodes:
            if not isinstance(node, ast.Name | ast.Attribute) or id(node) in handled:
                continue
            if isinstance(node.ctx, ast.Load):
                code.handed_on.add(_last(node))
        return code

    def called(self, name: str) -> set[str]:
        """Return the methods called on a name; any of the module's if it is passed on."""
        methods = set(self.methods.get(name, ()))
        if name in self.handed_on:
            others = (m for owner, m in self.methods.items() if owner not in self.single)
            methods = methods.union(*others) - {"split"}
        return methods & METHODS


def _last(node: ast.expr) -> str:
    """Return the last name of ``a.b.c``."""
    return getattr(node, "attr", "") or getattr(node, "id", "")


def _inline(name: str, module: ModuleType, code: _Code) -> Iterator[Use]:
    """Yield expressions compiled where they are used: ``re.search(r"…", text)``."""
    top = [node for line in code.tree.body if not _is_block(line) for node in ast.walk(line)]
    called = {_last(node.func) for node in top if isinstance(node, ast.Call)}
    for function in filter(_is_block, ast.walk(code.tree) if "re" in code.methods else ()):
        for node in ast.walk(function):
            if name in BY_USERS or not (isinstance(node, ast.Call) and _is_of_re(node.func)):
                continue
            try:
                pattern = _evaluate(node.args[0], module)
            except NameError:
                if getattr(function, "name", "") not in called:
                    where = f"{name}:{node.lineno}"
                    raise LookupError(f"{where}: compile this expression in the module") from None
                continue
            method = _last(node.func)
            for each in METHODS if method == "compile" else (method,):
                yield Use(name, re.compile(pattern), each)


def _is_block(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _is_of_re(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "re"
        and node.attr in {"compile", *METHODS}
    )


def _evaluate(node: ast.expr, module: ModuleType) -> str | bytes:
    """Return the value of an expression; a local name inside an f-string stands for a word."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_piece(part, module) for part in node.values)
    value = eval(compile(ast.Expression(node), "", "eval"), vars(module))  # noqa: S307 - our own code
    assert isinstance(value, str | bytes)
    return value


def _piece(part: ast.expr, module: ModuleType) -> str:
    if isinstance(part, ast.FormattedValue):
        try:
            return str(_evaluate(part.value, module))
        except NameError:
            return "word"
    return str(_evaluate(part, module))


def _named(name: str, module: ModuleType, codes: dict[str, _Code]) -> Iterator[Use]:
    """Yield the values of a module by name, in containers or directly, and its classes."""
    classes = [each for each in vars(module).values() if getattr(each, "__module__", "") == name]
    inner = [item for each in classes if isinstance(each, type) for item in vars(each).items()]
    members = vars(module)
    for attribute, value in (*members.items(), *(i for i in inner if isinstance(i[1], re.Pattern))):
        if attribute.startswith("__") or not (expressions := list(_walk(value))):
            continue
        names = {attribute, name.rpartition(".")[2]}
        users = [c for c in codes.values() if attribute not in members or names & c.imported]
        methods = set[str]().union(*(code.called(attribute) for code in (codes[name], *users)))
        yield from (Use(name, each, method) for each in expressions for method in sorted(methods))


def _walk(value: Node, depth: int = 5) -> Iterator[Expression]:
    """Yield the expressions inside tuples, mappings and records."""
    if isinstance(value, re.Pattern):
        yield value
    elif depth and isinstance(value, tuple | list | set | frozenset):
        for item in value:
            yield from _walk(item, depth - 1)
    elif depth and isinstance(value, dict):
        yield from _walk(tuple(value.values()), depth - 1)
        yield from _walk(tuple(value), depth - 1)
    elif depth and hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        fields = value.__dataclass_fields__
        yield from _walk(tuple(getattr(value, field, None) for field in fields), depth - 1)


def measure(use: Use, prefix: str, token: str, end: str) -> Slow | None:
    """Return a text on which a use is slow, or None."""
    for size in SIZES:
        text = _text(use, prefix, token, end, size)
        if _seconds(use, text, 1) < FLOOR:
            continue
        quarter = _text(use, prefix, token, end, size // 4)
        for repeats in (_REPEATS, 3 * _REPEATS):  # a busy machine is no proof
            seconds = _seconds(use, text, repeats)
            ratio = seconds / max(_seconds(use, quarter, repeats), 1e-7)
            if seconds < FLOOR or ratio <= LIMIT:
                break
        else:
            return Slow(use, prefix, token, ratio, seconds, size)
    return None


def _text(use: Use, prefix: str, token: str, end: str, size: int) -> str | bytes:
    text = prefix + token * max(size // len(token), 1) + end
    if isinstance(use.expression.pattern, bytes):
        return text.encode("latin-1", errors="replace")
    return text


def _seconds(use: Use, text: str | bytes, repeats: int) -> float:
    """Return the shortest CPU time of a method on a text."""
    expression: Node = use.expression
    is_once = use.method in {"search", "match", "fullmatch"}
    method = getattr(expression, use.method if is_once else "finditer")
    times = []
    for _ in range(repeats):
        start = process_time()
        result = method(text)
        if not is_once:
            for _match in result:
                pass
        times.append(process_time() - start)
    return min(times)


def slow(uses: Iterable[Use], limit: int) -> Iterator[Slow]:
    """Yield the first text on which each use is slow, of at most ``limit`` texts per use."""
    for use in uses:
        texts = adversarial(use.expression, limit)
        measured = (measure(use, *text, end) for text in texts for end in _ENDS)
        yield from islice(filter(None, measured), 1)
