"""The architecture as a test: sizes, names, wiring, start-up, and no trace of a machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import benchkit
from benchkit.parsers import registry

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "benchkit"
TOP_LEVEL = {
    "benchkit",
    "notebooks",
    "tests",
    "fixtures",
    "pyproject.toml",
    "README.md",
    "noxfile.py",
    "LICENSE",
}
#: Files that commands leave behind; none of them is committed.
LEFT_BEHIND = {"report.html", "report.md", "report.json", "build", "dist", "__pycache__"}
#: Participles and pronouns that do not say what a value is; a noun of the field does.
VAGUE_WORDS = {"asked", "beside", "caught", "given", "said", "thing", "told", "wanted", "which"}
GRAB_BAGS = {"utils", "util", "helpers", "helper", "common", "misc", "core", "manager"}
HEAVY = {"pandas", "scipy", "matplotlib", "pyarrow", "numpy", "deltalake", "jinja2"}
WITH_OPTIONS = (
    "ab autocannon bombardier fortio hey hyperfine jmeter k6 locust oha redis-benchmark "
    "valkey-benchmark vegeta wrk wrk2"
)
REDACTED = "options that hold secrets, for programs of which most are no tools"
#: Tools named outside the parsers package: which, and why.
KNOWING = {
    "audit/catalogue/": (
        "ab benchstat cadvisor hey k6 prometheus vegeta wrk wrk2",
        "explanations with examples",
    ),
    "audit/concurrency.py": ("k6 vegeta wrk2", "advice: which tools send at a fixed rate"),
    "audit/copies.py": ("vegeta", "advice: an example of a file name"),
    "audit/totals.py": ("benchstat", "finding B307, on the p-values of its tables"),
    "benchstat/__init__.py": ("benchstat", "--compat benchstat"),
    "benchstat/table.py": ("benchstat", "--compat benchstat"),
    "capture/fields.py": ("wrk", "an example in a hint"),
    "capture/service.py": ("cadvisor", "advice: what records a service that is out of reach"),
    "capture/usage.py": ("docker-stats", "writes samples in the form of Docker's API"),
    "cli/ab.py": ("ab", "the command of this name, which is no tool"),
    "cli/capture.py": ("wrk", "an example in the help"),
    "cli/compare.py": ("benchstat", "--compat benchstat"),
    "cli/compat.py": ("benchstat", "--compat benchstat"),
    "cli/explain.py": ("vegeta", "an example in the help"),
    "cli/history_files.py": ("asv", "the help names files of other trackers"),
    "cli/ingest.py": ("prometheus", "--prometheus"),
    "cli/init.py": ("ab hyperfine k6 redis-benchmark vegeta wrk", "the help of --plan"),
    "cli/menu.py": ("ab", "the command of this name, which is no tool"),
    "derived/containers.py": ("cadvisor prometheus", "containers that watch others"),
    "derived/histograms.py": ("prometheus", "advice: --prometheus"),
    "ingestion/discovery.py": ("prometheus", "--prometheus: a server has no path with labels"),
    "ingestion/outputs.py": ("gobench", "go test writes a result in one line, below a header"),
    "ingestion/prometheus_api.py": ("prometheus", "--prometheus"),
    "labels/template.py": ("wrk", "an example in a hint"),
    "plots/drawing.py": ("vegeta", "the folder of an example"),
    "reading/heading_lines.py": ("jmh", "lines of a log that are no headings"),
    "redaction/commands.py": ("bombardier fortio hey vegeta", REDACTED),
    "redaction/harmless.py": (WITH_OPTIONS, REDACTED),
    "redaction/options.py": ("ab hey k6 oha", REDACTED),
}
#: Names of tools and programs that are English words, or terms of the trade or of benchkit.
PLAIN_WORDS = {"export", "go", "server", "spans"}
MAX_LINES = 400
MAX_FUNCTION = 60

MODULES = sorted(PACKAGE.rglob("*.py"))
CODE = [*MODULES, *sorted((ROOT / "tests").rglob("*.py")), ROOT / "noxfile.py"]

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def length(function: Function) -> int:
    """Count a function's lines from its ``def``, the docstring apart."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None
    docstring = (first.end_lineno or 0) - first.lineno + 1 if documented else 0
    return (function.end_lineno or 0) - function.lineno + 1 - docstring


def test_no_module_is_long() -> None:
    lengths = {name_of(path): len(path.read_text(encoding="utf-8").splitlines()) for path in CODE}
    assert {name: lines for name, lines in lengths.items() if lines > MAX_LINES} == {}


def test_no_function_is_long() -> None:
    lengths = {
        f"{name_of(path)}:{node.name}": length(node)
        for path in CODE
        for node in ast.walk(tree(path))
        if isinstance(node, Function)
    }
    assert {name: lines for name, lines in lengths.items() if lines > MAX_FUNCTION} == {}


def test_no_module_is_a_grab_bag() -> None:
    words = {
        name_of(path): {part.removesuffix(".py").strip("_") for part in Path(name_of(path)).parts}
        for path in MODULES
    }
    assert [name for name, parts in words.items() if parts & GRAB_BAGS] == []


def test_names_are_nouns_and_verbs_of_the_field() -> None:
    vague = [
        f"{module.relative_to(ROOT)}:{line}: {name}"
        for module in MODULES
        for line, name in bound_names(ast.parse(module.read_text(encoding="utf-8")))
        if VAGUE_WORDS.intersection(name.lower().split("_"))
    ]
    assert vague == []


def bound_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names that a module gives to functions, classes, parameters and variables."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.lineno, node.name
            case ast.arg():
                yield node.lineno, node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.lineno, node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.lineno, node.attr


def test_every_module_has_a_docstring() -> None:
    summaries = {
        name_of(path): (ast.get_docstring(tree(path)) or "").partition("\n")[0] for path in MODULES
    }
    short = {n: line for n, line in summaries.items() if not (line.endswith(".") and line[20:])}
    assert short == {}


def test_every_package_has_an_init_module() -> None:
    packages = {path.parent for path in MODULES}
    assert [name_of(each) for each in packages if not (each / "__init__.py").is_file()] == []


def test_the_registry_names_every_parser() -> None:
    declaring = {
        path.relative_to(ROOT)
        .with_suffix("")
        .as_posix()
        .replace("/", ".")
        .removesuffix(".__init__")
        for path in MODULES
        if path.is_relative_to(PACKAGE / "parsers") and " = Format(\n" in path.read_text()
    }
    assert {built_in.module for built_in in registry.BUILTIN} == declaring


def test_tools_are_known_only_to_their_parsers() -> None:
    named: dict[str, set[str]] = {}
    for path in MODULES:
        folder = path.parent.relative_to(PACKAGE).as_posix() + "/"
        place = folder if folder in KNOWING else path.relative_to(PACKAGE).as_posix()
        if not place.startswith("parsers/"):
            named.setdefault(place, set()).update(_tools_named(path))
    expected = {name: set(tools.split()) for name, (tools, _) in KNOWING.items()}
    assert {name: tools for name, tools in named.items() if tools} == expected


def _tools_named(path: Path) -> set[str]:
    """Return the tools named in a module's code, ignoring docstrings and comments."""
    nodes = list(ast.walk(tree(path)))
    documenting = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node.id for node in nodes if isinstance(node, ast.Name)]
    for node in nodes:
        if isinstance(node, ast.Constant) and id(node) not in documenting:
            texts += [node.value] if isinstance(node.value, str) else []
    return {tool.lower() for text in texts for tool in _tool_names().findall(text)}


@cache
def _tool_names() -> re.Pattern[str]:
    """Return the names of tools and formats and their programs, as whole words in any case."""
    programs = {program for tool in registry.all_tools() for program in tool.executables}
    names = sorted((registry.tools() | programs) - PLAIN_WORDS, reverse=True)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def test_exported_names_exist_and_shadow_no_submodule() -> None:
    submodules = {path.stem for path in PACKAGE.iterdir()}
    assert benchkit.__all__
    assert len(benchkit.__all__) <= 25
    for name in benchkit.__all__:
        assert getattr(benchkit, name) is not None
        assert name not in submodules
    assert set(benchkit.__all__) <= set(dir(benchkit))


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = benchkit.no_such_name


@pytest.mark.parametrize(
    "arguments",
    [["-c", "import benchkit"], ["-m", "benchkit", "--help"], ["-m", "benchkit", "--version"]],
    ids=["import benchkit", "benchkit --help", "benchkit --version"],
)
def test_start_up_is_light(arguments: list[str]) -> None:
    command = [sys.executable, "-X", "importtime", *arguments]
    assert _packages_imported(command) & HEAVY == set()


@pytest.mark.parametrize("command", ["compare", "check", "runs", "gate"])
def test_command_on_go_files_imports_no_pandas_scipy_or_matplotlib(command: str) -> None:
    imported = _imports(_on_go_files(command))
    assert imported & {"pandas.core", "scipy", "matplotlib", "jinja2"} == set()
    assert not imported & {"deltalake", "benchkit.store.tables", "benchkit.planning"}


def test_report_imports_no_scipy_pyplot_or_mplot3d(tmp_path: Path) -> None:
    (tmp_path / "matplotlibrc").write_bytes(b"\xff")  # matplotlib would fail to import it
    imported = _imports(_on_go_files("report"), tmp_path)
    assert "matplotlib.figure" in imported
    assert imported & {"scipy", "matplotlib.pyplot", "mpl_toolkits"} == set()


def _on_go_files(command: str) -> list[str]:
    files = [f"{ROOT}/fixtures/redis-gobench/{name}.txt" for name in ("baseline", "disabled")]
    return [sys.executable, "-X", "importtime", "-m", "benchkit", *command.split(), *files]


def _packages_imported(command: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in _imports(command)}


def _imports(command: list[str], folder: Path = ROOT) -> set[str]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode in {0, 1}, done.stderr  # 1: the gate fails
    imported = set(re.findall(r"^import time:.*\| +([\w.]+)$", done.stderr, re.MULTILINE))
    assert "benchkit" in imported
    return imported


def test_no_pattern_is_compiled_at_import() -> None:
    eager = [
        f"{name_of(path)}:{node.lineno}"
        for path in MODULES
        for node in _run_on_import(tree(path))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "re.compile"
    ]
    assert not eager, "use benchkit.regexes.regex"


def _run_on_import(parent: ast.AST) -> Iterator[ast.AST]:
    """Yield the code that a module runs when imported: everything but the bodies of functions."""
    for node in ast.iter_child_nodes(parent):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node
            yield from _run_on_import(node)


def test_no_module_uses_pyplot() -> None:
    users = [name_of(path) for path in MODULES if "pyplot" in _imported(path)]
    assert users == []


def _imported(path: Path) -> str:
    nodes = [node for node in ast.walk(tree(path)) if isinstance(node, ast.Import | ast.ImportFrom)]
    return "\n".join(ast.unparse(node) for node in nodes)


def test_top_level_has_only_known_entries() -> None:
    seen = {path.name for path in ROOT.iterdir() if not path.name.startswith(".")}
    strange = {name for name in seen - TOP_LEVEL - LEFT_BEHIND if not name.endswith(".egg-info")}
    assert strange == set()
    assert TOP_LEVEL - {"notebooks"} <= seen


#: Build products of an editable install in the checkout.
COMPILED = {".so", ".pyd"}


def committed() -> list[Path]:
    tops = [ROOT / name for name in TOP_LEVEL]
    tops += [
        ROOT / ".build",
        ROOT / ".ci",
        ROOT / ".github",
        ROOT / ".gitignore",
        ROOT / ".pre-commit-config.yaml",
    ]
    inside = (path for top in tops for path in (top.rglob("*") if top.is_dir() else [top]))
    generated = {"__pycache__", "actual", ".ipynb_checkpoints", ".benchkit"}
    return [
        path
        for path in inside
        if path.is_file() and not generated & set(path.parts) and path.suffix not in COMPILED
    ]


def test_files_contain_no_path_of_a_machine() -> None:
    private = re.compile(rb"/(?:work|root|farm)/|/tmp/[v]/|[.]librar[y]")
    leaks = [name_of(path) for path in committed() if private.search(path.read_bytes())]
    assert leaks == []


def test_ci_runs_the_commands_of_the_readme() -> None:
    command = "python3 -m venv .venv && .venv/bin/pip install nox && .venv/bin/nox"
    run = ROOT / ".ci" / "run"
    assert command in run.read_text(encoding="utf-8").splitlines()
    assert command in (ROOT / "README.md").read_text(encoding="utf-8")
    assert run.stat().st_mode & 0o111 == 0o111
