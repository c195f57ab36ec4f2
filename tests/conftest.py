"""Shared by all tests: golden files, the fixtures folder, one hypothesis profile.

A golden is a file that a person reviews as a diff; one flag rewrites it, CI never does.
"""

from __future__ import annotations

import difflib
import gc
import os
import shutil
import signal
import sys
import zlib
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from benchkit.ingestion.job_branches import REFS
from benchkit.ingestion.origins import REPOSITORIES, SYSTEMS, WHOLES
from benchkit.redaction.marks import VARIABLE

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parent.parent
CI = bool(os.environ.get("CI"))
#: Variables that identify the CI job of these tests must not reach the results they ingest.
for _name in {
    *WHOLES.values(),
    *REPOSITORIES.values(),
    *(name for table in (REFS, SYSTEMS) for names in table.values() for name in names),
}:
    os.environ.pop(_name, None)
#: Secrets get the same marks in every run of the tests.
os.environ[VARIABLE] = "tests"
#: Otherwise each process that a test starts would compile all of its imports again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
#: A shell without job control starts background processes with Ctrl-C ignored, and every process
#: that a test starts and interrupts would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

gc.disable()  # keep everything allocated during collection out of the collector

settings.register_profile(
    "benchkit",
    deadline=None,  # on two busy cores any deadline is a coin toss
    derandomize=CI,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("benchkit")


@dataclass(frozen=True)
class Golden:
    """Compares a text with the file that holds the expected one.

    Parameters
    ----------
    expected, actual : Path
        Folders of the golden files and of what a failing test got instead.
    update : bool
        Whether to rewrite the golden files.
    """

    expected: Path
    actual: Path
    update: bool = False

    def check(self, name: str, text: str) -> None:
        """Compare ``text`` with the golden file ``name`` (``report/otlp.md``)."""
        golden, got = self.expected / name, self.actual / name
        if self.update:
            _write(golden, text)
        expected = golden.read_bytes().decode() if golden.is_file() else ""
        if text == expected:
            got.unlink(missing_ok=True)
            return
        _write(got, text)
        diff = difflib.unified_diff(
            expected.splitlines(keepends=True),
            text.splitlines(keepends=True),
            str(golden),
            str(got),
        )
        hint = "if the new text is right: nox -s golden"
        pytest.fail(f"{name} differs from its golden file; {hint}\n{''.join(diff)}", pytrace=False)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--update`` and ``--tenth``."""
    parser.addoption("--update", action="store_true", help="rewrite the golden files")
    parser.addoption("--tenth", action="store_true", help="a tenth of the tests, the same again")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep a tenth of the tests, chosen by name, so always the same ones."""
    if config.getoption("--tenth"):
        numbers = {item: zlib.crc32(item.nodeid.encode()) for item in items}
        config.hook.pytest_deselected(items=[item for item in items if numbers[item] % 10])
        items[:] = [item for item in items if numbers[item] % 10 == 0]


def pytest_collection_finish() -> None:
    """Exempt the thousands of collected tests from garbage collection."""
    gc.freeze()
    gc.enable()


def pytest_configure(config: pytest.Config) -> None:
    """Refuse ``--update`` where nobody reads the diff."""
    if config.getoption("--update") and CI:
        raise pytest.UsageError("--update rewrites what CI has to compare with: run it locally")


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, object, object]:
    """Escape lone surrogates: a failure that shows one would abort the whole run under xdist."""
    return _escape((yield))


def _escape(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_escape(key): _escape(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_escape, value))
    return value


@pytest.fixture
def unsigned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write a store's files as earlier builds did: without a checksum in their names."""
    monkeypatch.setattr("benchkit.store.files.sign", lambda path: path)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare with ``tests/golden``."""
    tests = ROOT / "tests"
    update = bool(request.config.getoption("--update"))
    return Golden(tests / "golden", tests / "actual", update=update)


@pytest.fixture(scope="session")
def fixtures_dir() -> Path:
    """Return the folder of real raw files."""
    return ROOT / "fixtures"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        reason = "no Chromium on this machine: apt-get install chromium"
        if CI:
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield running
        running.close()
