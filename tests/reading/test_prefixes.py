"""Line prefixes of a log change no value and no line number."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest
from scaling import assert_linear

import benchkit.api as bk
from benchkit.errors import BenchkitError
from benchkit.parsers import registry
from benchkit.parsers.base import Reading, Repeats, Samples, Source
from benchkit.reading.prefixes import MixedError, find_prefixes, is_logged

FIXTURES = Path(__file__).parents[2] / "fixtures"
TEXTS = {"wrk", "ab", "hey", "k6", "vegeta", "gobench", "benchstat", "docker-stats", "server"}
#: Larger fixtures contain only more of the same lines.
LARGEST = 60_000


def _time(line: int, form: str = "%Y-%m-%dT%H:%M:%S") -> str:
    return (datetime(2024, 5, 1, 10, 0, 22, tzinfo=UTC) + timedelta(seconds=line // 7)).strftime(
        form
    )


PREFIXES: dict[str, Callable[[int], str]] = {
    "brackets": lambda line: f"[{_time(line)}.{line % 1000:03d}Z] ",
    "GitLab": lambda line: f"{_time(line)}.{line:06d}Z 01O ",
    "gh run view --log": lambda line: f"load\tRun k6\t{_time(line)}.{line * 37:07d}Z ",
    "kubectl logs --prefix": lambda _: "[pod/load-1-x7f9k/k6] ",
    "stern, in colours": lambda _: "\x1b[36mload-1-x7f9k\x1b[0m k6 ",
    "syslog": lambda line: f"<14>1 {_time(line, '%Y-%m-%dT%H:%M:%SZ')} host load 123 - - ",
    "journald": lambda line: _time(line, "%b %d %H:%M:%S") + " host load[123]: ",
    "docker compose logs -t": lambda line: f"load-1  | {_time(line)}.{line * 37:09d}Z ",
    "cat -n": lambda line: f"{line:6d}\t",
    "grep -n": lambda line: f"{line}:",
    "diff": lambda _: "+",
}


def _wrap(text: str, prefix: Callable[[int], str]) -> bytes:
    lines = text.removesuffix("\n").split("\n")
    wrapped = "\n".join(prefix(number) + line for number, line in enumerate(lines, 1))
    return (wrapped + "\n" * text.endswith("\n")).encode()


def _read(data: bytes) -> tuple[set[str], list[object]]:
    """Return the formats and every value of a text."""
    source = Source(None, "x", data)
    try:
        formats = registry.identify(source)
    except BenchkitError:
        return set(), []
    readings: list[Reading] = []
    values: list[object] = []
    for form in formats:
        for record in form.parse(source):
            if isinstance(record, Reading):
                readings.append(record)
            elif isinstance(record, Repeats):
                values.append((record.lines.tolist(), record.values.tolist()))
            elif isinstance(record, Samples):
                values.append((record.metric, record.lines.tolist(), record.values.tolist()))
    values += [
        (each.line, each.last_line, each.benchmark, each.params, each.status, each.rows)
        for each in readings
    ]
    return {form.name for form in formats}, values


@cache
def _texts() -> list[Path]:
    """Return the fixtures with text of tools that have more than two lines."""
    texts = []
    for path in sorted(FIXTURES.rglob("*")):
        if path.suffix in {".txt", ".log", ".md"} and path.stat().st_size < LARGEST:
            data = path.read_bytes()
            if b"\0" not in data and data.count(b"\n") > 2 and _read(data)[0] & TEXTS:
                texts.append(path)
    return texts


@pytest.mark.parametrize("name", PREFIXES)
def test_prefix_on_every_line_changes_no_value(name: str) -> None:
    texts = _texts()
    assert len(texts) > 150
    for path in texts:
        plain = path.read_bytes().decode("utf-8-sig", errors="replace")
        assert _read(_wrap(plain, PREFIXES[name])) == _read(plain.encode()), path


#: Results whose lines begin with their names, and others of a few lines.
NAMED = {
    "criterion": "render/a b   time:   [9.5 ns 10.5 ns 11.5 ns]\n"
    "render/second name\n             time:   [19.5 ns 20.5 ns 21.5 ns]\n",
    "BenchmarkDotNet": "| Method | N | Mean | Error |\n|---|---|---:|---:|\n"
    "| For | 1 | 9.5 ns | 1 ns |\n",
    "redis": "====== SET ======\n  1000 requests completed in 1.50 seconds\n"
    "  50 parallel clients\n\n99.76% <= 1 milliseconds\n666.67 requests per second\n",
    "redis -q": "  SET: 666.67 requests per second, p50=0.311 msec\n"
    "LPUSH (needed to benchmark LRANGE): 777.67 requests per second, p50=0.411 msec\n"
    "GET: 888.67 requests per second, p50=0.211 msec\n",
    "benchcmp": "benchmark     old ns/op  new ns/op  delta\nBenchmarkA-4  523  68.6  -86.88%\n"
    "BenchmarkB-4  623  58.6  -90.59%\n",
}


@pytest.mark.parametrize("tool", NAMED)
def test_prefix_is_not_part_of_the_name_after_it(tool: str) -> None:
    formats, values = _read(NAMED[tool].encode())
    assert formats
    assert values
    for name in PREFIXES.keys() - {"stern, in colours"}:  # two words, as a name may have
        assert _read(_wrap(NAMED[tool], PREFIXES[name])) == (formats, values), name


@pytest.mark.parametrize(
    "names",
    [("parse a", "parse b", "parse c"), ("1", "2", "3"), ("1 row", "2 rows", "3 rows"),
     ("parse 10:00:00", "parse 10:00:01", "x 10:00:02"), ("- a", "- b", "- c")],
)  # fmt: skip
def test_common_beginning_of_names_is_not_a_prefix(names: tuple[str, ...]) -> None:
    text = "".join(f"{name}   time:   [1.5 ns 2.5 ns 3.5 ns]\n" for name in names)
    _, values = _read(text.encode())
    assert [value[2] for value in values] == [name.removeprefix("- ") for name in names]  # type: ignore[index]


WRK = (FIXTURES / "tracing-wrk/none/wrk-1.txt").read_text()


def test_unrelated_lines_in_a_log_are_kept() -> None:
    prefix = PREFIXES["journald"]
    log = _wrap(WRK, prefix).decode().split("\n")
    noise = prefix(1).replace("load[123]", "kernel") + "eth0: link is up"
    formats, values = _read("\n".join([noise, *log]).encode())
    assert formats == {"wrk"}
    (reading,) = values
    (plain,) = _read(b"\n" + WRK.encode())[1]
    assert reading == plain


def test_alternating_lines_of_two_pods_are_refused() -> None:
    pods = ("[pod/load-1/wrk] ", "[pod/load-2/wrk] ")
    text = "\n".join(pod + line for line in WRK.split("\n") for pod in pods)
    with pytest.raises(MixedError, match=r"lines of two wrk runs alternate.*load-1.*load-2"):
        registry.identify(Source(None, "x", text.encode()))


def test_alternating_lines_of_compose_are_refused() -> None:
    pods = [lambda line, name=name: f"{name}  | {_time(line)}Z " for name in ("load-1", "load-2")]
    logs = [_wrap(WRK, pod).decode().split("\n") for pod in pods]
    text = "\n".join(line for pair in zip(*logs, strict=True) for line in pair)
    with pytest.raises(MixedError):
        registry.identify(Source(None, "x", text.encode()))


def always(prefix: str) -> Callable[[int], str]:
    return lambda _: prefix


def test_consecutive_pods_are_two_runs() -> None:
    pods = ("[pod/load-1/wrk] ", "[pod/load-2/wrk] ")
    text = "".join(_wrap(WRK, always(pod)).decode() for pod in pods)
    formats, values = _read(text.encode())
    assert formats == {"wrk"}
    assert len(values) == 2


def test_consecutive_pods_are_not_repeats(tmp_path: Path) -> None:
    pods = ("[pod/load-1/wrk] ", "[pod/load-2/wrk] ")
    text = "".join(_wrap(WRK, always(pod)).decode() for pod in pods)
    (tmp_path / "none.txt").write_text(text)
    runs = bk.load(str(tmp_path / "none.txt")).runs
    assert len(runs) == 2
    assert runs["benchmark"].nunique() == 2
    assert runs["benchmark"].str.contains("load-1").sum() == 1


def test_two_sides_of_a_diff_are_not_mixed() -> None:
    removed, added = WRK, WRK.replace("7", "8")
    text = "".join(
        _wrap(side, always(sign)).decode() for side, sign in ((removed, "-"), (added, "+"))
    )
    _, values = _read(text.encode())
    assert len(values) == 2
    lines = zip(removed.splitlines(), added.splitlines(), strict=True)
    with pytest.raises(MixedError):
        registry.identify(Source(None, "x", "".join(f"-{a}\n+{b}\n" for a, b in lines).encode()))


@pytest.mark.parametrize(
    "text",
    [
        "we saw Requests/sec: 12.00 here\n",
        "- one: Requests/sec: 12.00\nprose\n- two: Requests/sec: 13.00\n",
        "50% Requests/sec: 12.00\n40% Requests/sec: 13.00\n30% Requests/sec: 14.00\n",
    ],
)
def test_prose_is_not_a_prefix(text: str) -> None:
    assert find_prefixes(text, "x") == ()


def test_common_first_half_of_names_is_not_a_prefix() -> None:
    lines = ("data_received...: 2 kB 1 kB/s", "data_sent...: 1 kB 1 kB/s")
    calls = ("http_req_duration...: avg=2ms p(95)=3ms", "http_req_failed...: 0.00% ✓ 0 ✗ 3")
    named = [f"     browser_{line}" for line in (*lines, *calls)]
    text = "\n".join([*named, *(f"     {line}" for line in lines), ""])
    assert find_prefixes(text, "k6.txt") == ()


CARGO = "running 3 tests\n" + "".join(
    f"test {name} ... bench:    425 ns/iter (+/- 21)\n" for name in ("glob", "regex", "set")
)


@pytest.mark.parametrize(
    "text", [WRK, CARGO, (FIXTURES / "hyperfine/table-scan.md").read_text(encoding="utf-8")]
)
def test_no_break_spaces_and_a_diff_of_a_page_change_no_value(text: str) -> None:
    expected = _read(text.encode())
    assert expected[1]
    assert _read(text.replace(" ", "\xa0").encode()) == expected
    assert _read(_wrap(text, PREFIXES["diff"])) == expected


@pytest.mark.parametrize("name", ["criterion-text/none-1.txt", "benchcmp/all.txt"])
def test_no_break_spaces_change_no_value_without_a_line_naming_the_tool(name: str) -> None:
    text = (FIXTURES / name).read_text(encoding="utf-8")
    expected = _read(text.encode())
    assert expected[1]
    assert _read(text.replace(" ", "\xa0").encode()) == expected


@pytest.mark.parametrize("mark", ["\t", ","])
def test_table_of_times_below_a_header_is_not_a_log(mark: str) -> None:
    header, row = (
        mark.join(("metric", "time", "n")),
        mark.join(("vus", "2026-11-21T02:20:54Z", "1")),
    )
    assert not is_logged("\n".join([header, *[row] * 9]))
    assert is_logged("\n".join([row] * 9))


def test_report_far_down_in_a_log_is_recognised() -> None:
    prefix = PREFIXES["gh run view --log"]
    lines = ["building"] * 3000 + WRK.split("\n")
    text = "\n".join(prefix(number) + line for number, line in enumerate(lines, 1))
    formats, values = _read(text.encode())
    assert formats == {"wrk"}
    assert len(values) == 1


HOSTILE: dict[str, Callable[[int], str]] = {
    "another prefix on every line": lambda size: "".join(
        f"10:00:00 w{number} Requests/sec: 1.0\n" for number in range(size)
    ),
    "three lines of each pod": lambda size: "".join(
        f"pod-{number} Requests/sec: 1.0\n" + f"pod-{number} x\n" * 2 for number in range(size)
    ),
    "numbers": lambda size: f"{'1 ' * 100}Requests/sec: 1.0\n" * (size // 10),
    "blanks": lambda size: "a" + " " * 99 + "1 Requests/sec: 1\n" + ("a" + " " * size + "\n") * 9,
    "a long line": lambda size: "1 Requests/sec: " * size,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_searched_in_linear_time(name: str) -> None:
    assert_linear(
        lambda size: HOSTILE[name](size) + " requests in \n",
        lambda text: find_prefixes(text, "x"),
        8000,
    )
