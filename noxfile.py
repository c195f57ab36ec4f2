"""The contributor's menu: `nox -l` lists it, plain `nox` is word for word what CI runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.11"
nox.options.reuse_venv = "yes"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # every process would compile all it imports again

RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
SUPPORTED = ("3.11", "3.12", "3.13")
#: Peers of the bench that are built from the source of their modules.
GO_PEERS = {
    "benchstat": "golang.org/x/perf/cmd/benchstat@latest",
    "vegeta": "github.com/tsenart/vegeta/v12@latest",
}
#: What reads the workflows, built from source too.
WORKFLOW_LINTER = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12"
#: One process more than two threads have work for, since some tests wait. Each runs neighbours,
#: which share what is set up for a module.
THREE = ("-n", "3", "--dist", "worksteal")
#: With which Spark reads tables; of the version of the dependency group.
DELTA_LAKE = "io.delta:delta-spark_4.1_2.13:4.1.0"
PROJECT = nox.project.load_toml("pyproject.toml")


def find_pythons() -> list[str]:
    """Return the running Python and each supported one that is found and starts.

    One that is missing is left out, also where CI is set; the name of a Python on PATH proves
    nothing, since version managers leave names there for versions that are not installed.
    """
    others = (version for version in SUPPORTED if version != RUNNING and _starts(version))
    return [RUNNING, *others]


def _starts(version: str) -> bool:
    path = shutil.which(f"python{version}")
    if path is None:
        return False
    command = [path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    return found.returncode == 0 and found.stdout.strip() == version


def _group(name: str) -> list[str]:
    return list(nox.project.dependency_groups(PROJECT, name))


def _page(topic: str) -> list[str]:
    """Return the test that writes the generated parts of a page of the manual."""
    return ["tests/test_manual.py", "-k", f"current and {topic}"]


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, format, spelling, and the architecture: who may import whom."""
    session.install(*_group("lint"), *_group("imports"))
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("codespell")
    session.run("lint-imports", env={"PYTHONPATH": "."})


@nox.session(python=find_pythons())
def tests(session: nox.Session) -> None:
    """Run the tests on each Python found; on the running one check types and examples too.

    One environment serves all of it.
    """
    is_whole = session.python == RUNNING and not session.posargs
    groups = _group("types" if is_whole else "test")
    session.install("--no-compile", "-e", ".", *groups, "nox")  # most of it is never imported
    if is_whole:
        session.run("mypy")
        session.run("pytest", "-q", *THREE, "--doctest-modules", "benchkit")
    session.run("pytest", *THREE, *session.posargs)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Run the tests and list the lines that none reaches; fail below 90 %."""
    session.install("-e", ".", *_group("test"))
    session.run("pytest", *THREE, "--cov", "--cov-report=term", *session.posargs)


@nox.session(default=False)
def quick(session: nox.Session) -> None:
    """Check style, types and the tests nearest to the last change, or else a tenth of all."""
    groups = (each for name in ("lint", "types", "test") for each in _group(name))
    session.install("-e", ".", *groups, "nox")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("pytest", "-q", *THREE, *(session.posargs or find_near() or ["--tenth"]))


def find_near() -> list[str]:
    """Return the tests of what changed since the last commit, or else in it."""
    for since in ("HEAD", "HEAD~1"):
        command = ["git", "diff", "--name-only", since]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if changed := done.stdout.split():
            near = (near for each in map(Path, changed) for near in _list_near(each))
            return list(dict.fromkeys(near))
    return []


def _list_near(path: Path) -> list[str]:
    """Return the tests of a module, which lie where it does; a changed test is its own."""
    if path.suffix != ".py" or path.parts[0] not in {"benchkit", "tests"}:
        return []
    if path.parts[0] == "tests":
        return [str(path)] if path.name.startswith("test_") and path.exists() else []
    inner = Path("tests", *path.parts[1:-1])
    module = inner / f"test_{path.stem}.py"
    return [
        str(each) for each in (module, inner.with_name(f"test_{inner.name}.py")) if each.exists()
    ]


@nox.session
def build(session: nox.Session) -> None:
    """Build the package, install it where no checkout is near, and make a report with it."""
    out = Path(session.create_tmp()).resolve()
    shutil.rmtree(out / "dist", ignore_errors=True)
    session.install(*_group("build"))
    session.run("python", "-m", "build", "--outdir", str(out / "dist"), silent=True)
    (wheel,) = (out / "dist").glob("*.whl")
    session.run("python", "-m", "venv", "--clear", str(out / "env"))
    scripts = out / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = [str(scripts / "pip"), "install", "--quiet", "--no-compile"]
    session.run(*pip, str(wheel), external=True)
    runs = Path("fixtures/tracing-wrk").resolve()
    with session.chdir(out):
        command = str(scripts / "benchkit")
        session.run(command, "--version", external=True)
        session.run(command, "help", "tutorial", external=True, silent=True)
        session.run(command, "report", str(runs), "--baseline", "none", external=True)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the site of the manual, with the notebooks and the API; a warning is an error."""
    session.install("-e", ".", *_group("docs"))
    session.run("python", ".build/pages.py", str(Path(session.create_tmp()).resolve() / "docs"))


@nox.session(default=False)
def workflows(session: nox.Session) -> None:
    """Lint the workflows, ours and the manual's, with actionlint; needs Go."""
    session.install("-e", ".", *_group("test"))
    session.run("go", "install", WORKFLOW_LINTER, external=True, env={"GOBIN": session.bin})
    session.run("pytest", "-q", "tests/end_to_end/test_actionlint.py")


@nox.session(default=False)
def golden(session: nox.Session) -> None:
    """Rewrite the golden files; read the diff before it is committed."""
    session.install("-e", ".", *_group("test"))
    session.run("pytest", "--update", *session.posargs, env={"CI": None})


@nox.session(default=False)
def calibrate(session: nox.Session) -> None:
    """Simulate the error rates of every method, and write the manual's tables of them."""
    session.install("-e", ".", *_group("test"))
    session.run("python", "-m", "simulation", *session.posargs, env={"PYTHONPATH": "tests"})
    session.run("pytest", "--update", *_page("error-rates"), env={"CI": None})


@nox.session(default=False)
def soak(session: nox.Session) -> None:
    """Kill, damage, fill up, race and mutate, 100,000 inputs among it, in 45 minutes at most.

    A whole run writes the manual's table of it, with its losses, and fails if there are any.
    `-- --log soak.log` keeps what is printed, `-- inputs` runs one campaign.
    """
    session.install("-e", ".", *_group("test"))
    try:
        session.run("python", "-m", "soak", *session.posargs, env={"PYTHONPATH": "tests"})
    finally:
        session.run("pytest", "--update", *_page("reliability"), env={"CI": None})


@nox.session(default=False)
def scale(session: nox.Session) -> None:
    """Let 3,200 CI jobs write into stores of up to 100,000 runs, eight at a time.

    A whole run writes the manual's table of it; `-- --scale 0.1` runs a tenth of the jobs.
    """
    session.install("-e", ".", *_group("test"))
    session.run("python", "-m", "scale", *session.posargs, env={"PYTHONPATH": "tests"})
    session.run("pytest", "--update", *_page("size-and-cost"), env={"CI": None})


@nox.session(default=False)
def spark(session: nox.Session) -> None:
    """Read a store with Spark as the manual says; needs Java, and for its tables Maven."""
    session.install("-e", ".", *_group("test"), *_group("spark"))
    if shutil.which("mvn"):
        session.run("mvn", "-q", "dependency:get", f"-Dartifact={DELTA_LAKE}", external=True)
    session.run("pytest", "tests/test_store_readers.py", "-k", "spark", *session.posargs)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Read one million mutated blocks with the kernel under sanitizers; `-- --log fuzz.log`."""
    session.install("-e", ".", *_group("test"))
    session.run("python", "-m", "soak.fuzz", *session.posargs, env={"PYTHONPATH": "tests"})


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure benchkit against its peers, as ratios that apply to any machine."""
    session.install(".")
    peers = Path(session.create_tmp()).resolve() / "peers"  # an environment of their own
    python = peers / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        session.run("python", "-m", "venv", str(peers))
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        session.run(*pip, *_group("peers"), external=True)
    for tool, module in GO_PEERS.items():  # a row whose peer cannot be had says FAILED
        if shutil.which("go") and not shutil.which(tool):
            session.run("go", "install", module, external=True, success_codes=[0, 1])
    session.run("python", "tests/bench/run.py", "--peers", str(python), *session.posargs)
