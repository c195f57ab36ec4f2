"""``--compat benchstat`` prints what the real benchstat printed, or prints now if installed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest

from benchkit.benchstat import print_tables
from benchkit.cli.compat import read_options

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "benchstat"
CASES = sorted(path.parent for path in GOLDEN.glob("*/arguments.txt"))
#: Seeds of inputs that are not recorded.
FRESH = range(100, 400)
OUTPUTS = ("csv", "text")
#: Parts from which inputs are drawn; recorded and fresh cases come from the same generator, so both
#: include every quirk.
UNITS = ("ns/op", "B/op", "allocs/op", "MB/s", "p50-ns", "µs/op", "KB*ns", "op/ns", "hits")
CONFIG = (
    "pkg: b", "pkg: a", "pkg:", "cpu: x y", "goos: linux", "goos:", "commit: 10", "commit: 9",
    "commit: 22c9c6c9d4da0123456789abcdef0123456789ab", "no key", "key:value",
)  # fmt: skip
LABELS = ("", "", "", "new=", "v1=", "v2=", "the second run of the nightly job=")
KEYS = (
    ".name", ".fullname", ".file", ".config", "/size", "/format", "/gomaxprocs", "pkg", "cpu",
    "goos", "commit", "none",
)  # fmt: skip
VALUES = ("4", "10", "2k", "1Ki", "json", "gob")
ODD = (
    " BenchmarkIndented 1 5 ns/op",
    "BenchmarkAlone",
    "BenchmarkNoCount ",
    "BenchmarkBadCount 1e3 5 ns/op",
    "BenchmarkHugeCount 99999999999999999999 5 ns/op",
    "BenchmarkNoMeasures 7",
    "BenchmarkBadMeasure 7 fast ns/op",
    "BenchmarkHugeMeasure 7 1e999 ns/op",
    "BenchmarkNoUnit 7 5 ns/op 3",
    "BenchmarkGo 7 1_520.5 ns/op 0x1p4 B/op",
    "BenchmarkTwice 7 5 ns/op 6 ns/op",
    'BenchmarkQuoted/a,"b" 7 5 ns/op',
    "Benchmark 7 5 ns/op",
    "Unit",
    "Unit ns/op better=lower nonsense",
    "Unit hits assume=exact",
    "Unit hits assume=nothing",
    "Unit B/op assume=exact",
    "PASS",
    "ok  \tbench/redis\t1.2s",
)


def write_case(folder: Path, seed: int) -> list[str]:
    """Write the files of one comparison; return the arguments."""
    random = Random(seed)  # noqa: S311
    names = [_draw_name(random) for _ in range(random.randint(1, 5))]
    units = random.sample(UNITS, random.randint(1, 3))
    spread = random.choice([0, 1, 2, 3, 20, 1000, 100_000])
    most = random.choice([1, 3, 6, 10, 25, 30, 60])
    arguments = []
    for at in range(random.randint(1, 4)):
        lines = _write_file(random, names, units, spread, most)
        (folder / f"f{at}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        arguments.append(random.choice(LABELS) + f"f{at}.txt")
    if random.random() < 0.02:
        arguments.append(random.choice(["missing.txt", "=f0.txt", "."]))
    return [*arguments, arguments[-1]] if random.random() < 0.1 else arguments


def _draw_name(random: Random) -> str:
    name = random.choice(["A", "B", "Enc", "Slow-A"])
    for key in random.sample(["size", "format", "n"], random.randint(0, 2)):
        name += f"/{key}={random.choice(VALUES)}"
    return name + random.choice(["", "", "/plain"]) + random.choice(["", "-2", "-48", "-x"])


def draw_options(seed: int) -> list[str]:
    """Return options of benchstat, occasionally invalid ones."""
    random = Random(-seed - 1)  # noqa: S311
    options = []
    if random.random() < 0.6:
        options += ["-filter", _spoil(random, _draw_filter(random, 2))]
    for name in ("-table", "-row", "-col", "-ignore"):
        if random.random() < 0.35:
            options += [name, _spoil(random, _draw_projection(random))]
    if random.random() < 0.4:
        levels = ["0", "1", "0.1", "0.2", "0.001", "0.4", "1e-9", "0.01"]
        options += ["-alpha", random.choice(levels)]
    if random.random() < 0.4:
        levels = ["0", "0.5", "0.8", "0.99", "0.999999", "1"]
        options += ["-confidence", random.choice([*levels, str(random.random())])]
    if random.random() < 0.03:
        options += [random.choice(["-alpha", "-confidence"]), random.choice(["2", "-1"])]
    return options


def _draw_filter(random: Random, depth: int) -> str:
    if depth and random.random() < 0.5:
        left, right = _draw_filter(random, depth - 1), _draw_filter(random, depth - 1)
        return random.choice(
            [f"{left} {right}", f"{left} AND {right}", f"{left} OR {right}", f"{left} OR -{right}",
             f"-{left}", f"({left})", f"-({left} {right})"]
        )  # fmt: skip
    key = random.choice([*KEYS, ".unit", ".unit", "/size", ".name", "*"])
    if key == "*":
        return key
    values = [_draw_value(random, key) for _ in range(random.randint(1, 3))]
    return f"{key}:{values[0]}" if len(values) < 3 else f"{key}:({' OR '.join(values)})"


def _draw_value(random: Random, key: str) -> str:
    value = {
        ".unit": random.choice([*UNITS, "sec/op"]),
        ".name": random.choice(["A", "B", "Enc"]),
        ".file": random.choice(["f0.txt", "new", "v1"]),
        "pkg": random.choice(["a", "b"]),
    }.get(key, random.choice([*VALUES, "2", "48", "linux", "amd64"]))
    patterns = [value[:1], f"^{value[:2]}", f"(?i){value[-1:]}$", ".", r"[[:digit:]]"]
    return random.choice([value, value, f'"{value}"', *(f"/{each}/" for each in patterns)])


def _draw_projection(random: Random) -> str:
    parts = []
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        key = random.choice(KEYS)
        values = " ".join(random.sample([*VALUES, "2", "48", "A", "B", "Enc", "a", "b", '""'], 11))
        parts.append(key + random.choice(["", "", "", "@alpha", "@num", "@first", f"@({values})"]))
    return random.choice([",", " ", ", "]).join(parts)


def _spoil(random: Random, query: str) -> str:
    """Change one character of one query in twenty."""
    if random.random() < 0.95:
        return query
    at = random.randint(0, len(query))
    other: str = random.choice(["", *'():@,-*"/ é'])
    return query[:at] + other + query[at + 1 :]


def _write_file(
    random: Random, names: list[str], units: list[str], spread: int, most: int
) -> list[str]:
    level = random.choice([0, 1, 50, 1000, 40_000, 3_000_000])
    count = random.randint(1, most)
    lines = random.sample(CONFIG, random.randint(0, 2))
    for name in names:
        if random.random() < 0.1:
            continue
        if random.random() < 0.2:
            lines.append(random.choice(CONFIG))
        for _ in range(count if random.random() < 0.7 else random.randint(1, most)):
            values = [f"{_draw(random, level, spread)} {unit}" for unit in units]
            lines.append(f"Benchmark{name}  \t{random.randint(1, 10**6)}\t" + "\t".join(values))
            if random.random() < 0.02:
                lines.append(random.choice(ODD))
    return lines


def _draw(random: Random, level: int, spread: int) -> str:
    value = level + random.randint(0, spread)
    if random.random() < 0.01:
        return random.choice(["0", f"-{value}", "1e-5", "1e12", "+Inf"])
    return random.choice([str(value), str(value), f"{value}.0", f"{value:g}" if spread else "7"])


def find_benchstat() -> str | None:
    """Return the path of a benchstat that can print CSV, from PATH or Go's install folder."""
    places = [os.environ.get("GOBIN", ""), str(Path.home() / "go" / "bin")]
    path = os.pathsep.join(filter(None, places))
    tool = shutil.which("benchstat") or shutil.which("benchstat", path=path)
    if tool is None:
        return None
    help_text = subprocess.run(
        [tool, "-h"], capture_output=True, text=True, check=False, timeout=60
    )
    return tool if "-format" in help_text.stderr else None


def run_benchstat(tool: str, folder: Path, arguments: list[str]) -> tuple[str, str]:
    """Return stdout and stderr of the real benchstat."""
    done = subprocess.run(
        [tool, *arguments],
        cwd=folder,
        capture_output=True,
        check=True,
        encoding="utf-8",
        timeout=60,
    )
    return done.stdout, done.stderr


def arguments_of(case: Path) -> list[str]:
    return (case / "arguments.txt").read_text(encoding="utf-8").splitlines()


def recorded(case: Path, output: str) -> tuple[str, str]:
    stdout, stderr = ((case / f"{output}.{end}.golden").read_bytes() for end in ("out", "err"))
    return stdout.decode(), stderr.decode()


def imitate(arguments: list[str], output: str) -> tuple[str, str]:
    """Return stdout and stderr of the imitation; the options come in pairs, before the files."""
    options, paths = {}, list(arguments)
    while paths and paths[0].startswith("-") and paths[0] != "-":
        options[paths[0].lstrip("-")] = paths[1]
        paths = paths[2:]
    printed = print_tables(paths, read_options(options), as_csv=output == "csv")
    lines = [*printed.warnings, *([printed.error] if printed.error else [])]
    return printed.output, "".join(f"{line}\n" for line in lines)


def test_cases_are_recorded() -> None:
    assert len(CASES) >= 30


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_recorded_cases(
    case: Path, output: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(case)
    arguments, tool = arguments_of(case), find_benchstat()
    if tool and request.config.getoption("--update"):
        printed = run_benchstat(tool, case, ["-format", output, *arguments])
        for end, text in zip(("out", "err"), printed, strict=True):
            (case / f"{output}.{end}.golden").write_text(text, encoding="utf-8", newline="")
    assert imitate(arguments, output) == recorded(case, output)


@pytest.mark.parametrize("output", OUTPUTS)
def test_fresh_inputs(output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare with the benchstat of this machine; without one, with the recorded output."""
    tool = find_benchstat()
    if tool is None:
        for case in CASES:
            monkeypatch.chdir(case)
            assert imitate(arguments_of(case), output) == recorded(case, output)
        return
    monkeypatch.chdir(tmp_path)
    tables = 0
    for seed in FRESH:
        arguments = [*(draw_options(seed) if seed % 4 else []), *write_case(tmp_path, seed)]
        printed = run_benchstat(tool, tmp_path, ["-format", output, *arguments])
        assert imitate(arguments, output) == printed, arguments
        tables += bool(printed[0])
    assert tables > len(FRESH) / 2
