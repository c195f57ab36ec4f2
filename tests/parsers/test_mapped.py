"""Any other table: exact values through its map, and unreadable cells reported with their line."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pandas as pd
import pytest

import benchkit as bk
from benchkit import config
from benchkit.cli import run
from benchkit.config.maps import parse_maps
from benchkit.errors import ConfigError, DataError, Diagnostic, ExitCode, SchemaError
from benchkit.parsers.base import Reading, Source
from benchkit.parsers.guessed import guess, guess_measure
from benchkit.parsers.mapped import parse, read_table

Captured = pytest.CaptureFixture[str]
LONG = {
    "variant": "build", "metric": "name", "value": "value", "unit": "unit", "run": "run",
}  # fmt: skip
CSV = "build,name,run,value,unit\nold,wait,1,12.5,ms\nold,size,1,3,KiB\nnew,wait,7,814.00,us\n"
ROWS = [("old", 1, "wait", 0.0125, "s"), ("old", 1, "size", 3072.0, "B"),
        ("new", 7, "wait", 0.000814, "s")]  # fmt: skip
LINES = """{"build": "old", "name": "wait", "run": 1, "value": 12.5, "unit": "ms"}
{"build": "old", "name": "size", "run": 1, "value": 3, "unit": "KiB"}
{"build": "new", "name": "wait", "run": 7, "value": "814.00", "unit": "us"}
"""


def read(text: str, **keys: object) -> tuple[list[tuple[object, ...]], list[str]]:
    """Return the values that a map reads from a text, and its diagnostics."""
    (each,) = parse_maps([keys], "map.toml")
    rows: list[tuple[object, ...]] = []
    problems: list[str] = []
    for record in parse(each, Source(None, "x", text.encode())):
        if isinstance(record, Reading):
            rows += [(record.variant, record.run, row[1], row[3], row[4]) for row in record.rows]
        elif isinstance(record, Diagnostic):
            problems.append(f"{record.line}: {record.what}")
    return rows, problems


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (CSV, {}),
        (CSV.replace(",", "\t"), {}),
        (CSV.replace(",", ";"), {}),
        (LINES, {}),
        (f"[{','.join(LINES.splitlines())}]", {}),
        (f'{{"a": {{"b": [{",".join(LINES.splitlines())}]}}}}', {"records": "a.b"}),
    ],
    ids=["csv", "tsv", "semicolons", "lines", "list", "path"],
)
def test_every_format_gives_the_same_values(text: str, keys: dict[str, str]) -> None:
    assert read(text, **LONG, **keys) == (ROWS, [])


def test_value_in_a_document_has_its_line() -> None:
    text = '[\n{"build": "old",\n"run": 1,\n"p99": 2,\n"p50": 1.5}]'
    values = [{"column": name, "metric": "latency", "stat": name, "unit": "s"}
              for name in ("p99", "p50")]  # fmt: skip
    (each,) = parse_maps([{"variant": "build", "run": "run", "values": values}], "map.toml")
    (run,) = parse(each, Source(None, "x", text.encode()))
    assert isinstance(run, Reading)
    assert [(row[2], row[9]) for row in run.rows] == [("p99", 4), ("p50", 5)]
    assert run.last_line == 5


def test_each_column_may_be_a_metric() -> None:
    text = "build,p99_ms,score\nold,2,-1\nold,3,5\n"
    values = [
        {"column": "p99_ms", "metric": "latency", "stat": "p99", "unit": "ms"},
        {"column": "score", "better": "higher"},
    ]
    rows, problems = read(text, variant="build", values=values)
    assert problems == []
    assert rows == [
        ("old", None, "latency", 0.002, "s"), ("old", None, "score", -1.0, "1"),
        ("old", None, "latency", 0.003, "s"), ("old", None, "score", 5.0, "1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        ("NaN", "value is 'NaN', not a finite number"),
        ("1e999", "value is '1e999', not a finite number"),
        ("1_000", "value is '1_000', not a finite number"),
        ("12 ms", "value is '12 ms', not a finite number"),
    ],
)
def test_invalid_number_is_reported_with_its_line(cell: str, problem: str) -> None:
    rows, problems = read(CSV.replace("814.00", cell), **LONG)
    assert rows == ROWS[:2]
    assert problems == [f"4: {problem}; left out"]


def test_duplicate_value_of_a_run_is_skipped_unless_it_is_a_sample() -> None:
    text = CSV + "old,wait,1,13,ms\n"
    rows, problems = read(text, **LONG)
    assert rows == ROWS
    assert problems == ["5: run 1 already has this value, in line 2; left out"]
    rows, problems = read(text, **LONG, stat={"constant": "sample"})
    assert (len(rows), problems) == (4, [])


def test_known_metric_in_another_unit_is_refused() -> None:
    _, problems = read(CSV.replace("wait", "latency").replace(",us", ",KiB"), **LONG)
    assert problems == ["4: latency needs a unit that converts to 's', got 'KiB'; left out"]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"value": "ms"}, "no metric"),
        ({"metric": "name"}, "no column of values"),
        ({"value": "ms", "metrik": "x"}, "unknown key 'metrik'; did you mean 'metric'"),
        ({"value": "v", "metric": {"constant": "latency"}}, "latency has no unit; give a unit"),
        ({"value": {"constant": "1"}, "metric": "m"}, "value is not the name of a column"),
        ({"values": [{"column": "a", "better": "more"}]}, "`better` is 'more'"),
        ({"values": [{"column": "a"}], "unit": "u"}, "unit cannot be combined with values"),
    ],
)
def test_invalid_map_is_explained(keys: dict[str, object], problem: str) -> None:
    with pytest.raises(ConfigError) as refused:
        config.parse({"map": [keys]})
    assert problem in str(refused.value)
    assert "benchkit.toml [[map]]" in str(refused.value)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fixtures_dir: Path) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("builds.csv", "map.toml"):
        (tmp_path / name).write_bytes((fixtures_dir / "tables" / name).read_bytes())
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_all_commands_take_a_map(capsys: Captured) -> None:
    chosen = ["builds.csv", "--map", "map.toml"]
    assert run(["ingest", *chosen]) == ExitCode.DONE
    capsys.readouterr()
    sentences = []
    for arguments in ([], chosen):
        assert run(["compare", *arguments, "--baseline", "old", "--quiet"]) == ExitCode.DONE
        sentences.append(capsys.readouterr().out.partition("\n")[0])
    assert sentences[0] == sentences[1]
    assert "higher median latency than old" in sentences[0]
    assert run(["report", *chosen, "--baseline", "old", "-o", "r.html"]) == ExitCode.DONE
    limit = ["--max-overhead", "latency.p50=1%", "--baseline", "old"]
    assert run(["gate", *chosen, *limit]) == ExitCode.REGRESSION
    assert run(["layout", *chosen]) == ExitCode.DONE


def test_benchkit_toml_may_contain_maps(folder: Path, capsys: Captured) -> None:
    (folder / "map.toml").rename(folder / "benchkit.toml")
    assert run(["compare", "builds.csv", "--baseline", "old"]) == ExitCode.DONE
    assert "higher median latency than old" in capsys.readouterr().out


def test_table_that_no_map_fits_reports_the_missing_column(folder: Path, capsys: Captured) -> None:
    text = (folder / "map.toml").read_text(encoding="utf-8")
    (folder / "map.toml").write_text(text.replace('"build"', '"version"'), encoding="utf-8")
    assert run(["compare", "builds.csv", "--map", "map.toml"]) == ExitCode.DATA
    assert "no map fits: the table lacks version" in capsys.readouterr().err


def test_guessed_map_can_be_used(folder: Path) -> None:
    assert run(["map", "builds.csv", "-o", "guessed.toml"]) == ExitCode.DONE
    text = (folder / "guessed.toml").read_text(encoding="utf-8")
    assert text.startswith((folder / "map.toml").read_text(encoding="utf-8"))
    assert "# 2: old /list run 1: latency p50 0.012368 s" in text
    assert run(["compare", "builds.csv", "--map", "guessed.toml"]) == ExitCode.DONE


@pytest.mark.parametrize("text", ["", "a,b\n", "a,b\nx,y\n", "\x00\x01"])
def test_text_without_a_numeric_table_gives_no_map(
    text: str, folder: Path, capsys: Captured
) -> None:
    (folder / "x.csv").write_text(text, encoding="utf-8")
    assert run(["map", "x.csv"]) == ExitCode.DATA
    assert "x.csv: no " in capsys.readouterr().err


def test_guessed_map_can_be_read_for_any_column_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = "ti\x1bme (ms)", "si\x85ze", "\u202erps", 'q"\\'
    header = ",".join(f'"{name.replace(chr(34), chr(34) * 2)}"' for name in names)
    rows = 'a\x1b[31mb,1,2,3,4\n"c\r[[map]]",2,3,4,5\n'
    Path("x.csv").write_bytes(f"variant,{header}\n{rows}".encode())
    assert run(["map", "x.csv", "-o", "map.toml"]) == ExitCode.DONE
    text = Path("map.toml").read_text(encoding="utf-8")
    assert all(map(str.isprintable, text.split("\n")))
    assert run(["export", "x.csv", "--map", "map.toml", "-o", "x.json"]) == ExitCode.DONE
    (values,) = [each["values"] for each in tomllib.loads(text)["map"]]
    assert [each["column"] for each in values] == list(names)


def test_guess_recognises_nested_fields_and_missing_cells() -> None:
    rows = ",".join(f'{{"config": "{c}", "lat": {{"p50_ms": {v}}}}}' for c, v in
                    [("a", 1), ("a", 2), ("b", 3), ("b", 4), ("b", 5), ("b", '"n/a"')])  # fmt: skip
    guessed = guess(Source(None, "x", f'{{"meta": {{}}, "data": [{rows}]}}'.encode()))
    (measure,) = guessed.values
    assert (guessed.records, guessed.variant.column, measure.column) == (
        "data", "config", "lat.p50_ms"
    )  # fmt: skip
    assert (measure.metric.constant, measure.stat.constant) == ("latency", "p50")


def test_frame_columns_can_be_mapped(fixtures_dir: Path) -> None:
    frame = pd.read_csv(fixtures_dir / "tables" / "builds.csv")
    columns = {"variant": "build", "benchmark": "endpoint", "run": "iteration", "value": "p50_ms"}
    named = bk.load(frame.assign(metric="latency", stat="p50"), columns=columns)
    assert named.compare(baseline="old").frame["n_baseline"].tolist() == [8]
    assert named.observations["value"].max() < 0.02
    assert named.observations["unit"].unique().tolist() == ["s"]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"variant": "built"}, "no column 'built'"),
        ({"varient": "build"}, "unknown name 'varient' in columns"),
        ({"variant": "build", "value": "endpoint"}, "a value that is not a number"),
    ],
)
def test_unknown_columns_are_refused(
    columns: dict[str, str], problem: str, fixtures_dir: Path
) -> None:
    frame = pd.read_csv(fixtures_dir / "tables" / "builds.csv")
    with pytest.raises(SchemaError, match=problem):
        bk.load(frame, columns=columns)


def test_refused_table_points_to_the_map_command(folder: Path, capsys: Captured) -> None:
    assert run(["compare", "builds.csv"]) == ExitCode.DATA
    assert "run `benchkit map FILE` and pass the result with --map" in capsys.readouterr().err
    (folder / "x.json").write_text('{"rows": [{"a": 1}]}', encoding="utf-8")
    assert run(["compare", "x.json"]) == ExitCode.DATA
    assert "benchkit map FILE" in capsys.readouterr().err
    assert run(["explain", "map"]) == ExitCode.DONE
    assert "any other table" in capsys.readouterr().out


def test_table_with_nul_bytes_is_refused_with_their_line() -> None:
    with pytest.raises(DataError, match=r"x:2: contains NUL bytes"):
        guess(Source(None, "x", b"build,value\nold,1.5\0\nnew,2.5\n"))


def test_integer_too_large_for_a_float_is_reported_and_not_guessed() -> None:
    large = "9" * 400
    rows = f'{{"build": "old", "ms": {large}}}\n{{"build": "old", "ms": 2}}\n'
    values, problems = read(rows, variant="build", values=[{"column": "ms", "metric": "wait"}])
    assert [row[3] for row in values] == [2.0]
    assert "not a finite number" in problems[0]
    with pytest.raises(DataError, match="no column holds numbers"):
        guess(Source(None, "x", f'{{"build": "old", "ms": {large}}}\n'.encode()))


@pytest.mark.parametrize("column", ["time_min", "Min", "t_min", "min_ms"])
def test_min_in_a_column_name_is_minimum_not_minute(column: str) -> None:
    measure = guess_measure(column)
    assert (measure.stat.constant, measure.unit.constant) == ("min", "ms" * column.endswith("ms"))


def test_object_with_too_many_keys_is_not_a_table() -> None:
    text = ", ".join(f'"k{number}": 1' for number in range(10_001))
    with pytest.raises(DataError, match="has 10,001 columns"):
        guess(Source(None, "x", f"{{{text}}}".encode()))


def test_guess_reads_cell_units_and_distinguishes_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{name},{model},{engine},{median},{size},id{n}"
        for n, (name, model, engine, median, size) in enumerate(
            (name, model, engine, "950.00ns" if engine == "std" else "472.42us", 9)
            for name in ("huge", "tiny")
            for model in ("count", "find")
            for engine in ("std", "memchr")
        )
    ]
    table = "\n".join([",name,model,engine,median,len,note", *(f"0,{row}" for row in rows)])
    Path("x.csv").write_text(f"{table}\n", encoding="utf-8")
    assert run(["map", "x.csv", "-o", "map.toml"]) == ExitCode.DONE
    text = Path("map.toml").read_text(encoding="utf-8")
    assert "# Columns that this map does not read: column 1, which has no name, note" in text
    (entry,) = tomllib.loads(text)["map"]
    assert entry["params"] == ["engine"]
    assert entry["values"][0] == {
        "column": "median", "metric": "latency", "stat": "p50", "unit": "s"
    }  # fmt: skip
    (mapped,) = parse_maps([entry], "map.toml")
    runs = [each for each in parse(mapped, Source.load(Path("x.csv"))) if isinstance(each, Reading)]
    labels = {(each.variant, each.benchmark, *each.params.values()) for each in runs}
    assert len(labels) == len(runs) == 8
    assert {each.rows[0][3:5] for each in runs} == {(950e-9, "s"), (472.42e-6, "s")}


def test_unit_in_a_cell_must_match_its_column() -> None:
    (entry,) = parse_maps(
        [{"value": "t", "metric": {"constant": "wait"}, "unit": {"constant": "s"}}], "x"
    )
    (reading,) = parse(entry, Source(None, "x.csv", b"t\n5 ms\n"))
    assert isinstance(reading, Reading)
    assert reading.rows[0][3:5] == (0.005, "s")
    (problem,) = parse(entry, Source(None, "x.csv", b"t\n5 MB\n"))
    assert "t is '5 MB', not a finite number" in str(problem)


@pytest.mark.parametrize(
    ("header", "rows", "labels"),
    [
        (",,time (ms)", "gin,/a,10\necho,/a,11\ngin,/b,20\necho,/b,21",
         [("gin", "/a", {}), ("echo", "/a", {}), ("gin", "/b", {}), ("echo", "/b", {})]),
        (",rate", "gin,10\necho,11\nchi,12",
         [("gin", "", {}), ("echo", "", {}), ("chi", "", {})]),
        ("framework,rate", "gin,10\necho,11\nchi,12",
         [("gin", "", {}), ("echo", "", {}), ("chi", "", {})]),
        (",rate", "100,10\n1000,11\n5000,12",
         [("", "", {"column 1": "100"}), ("", "", {"column 1": "1000"}),
          ("", "", {"column 1": "5000"})]),
        (",framework,rate", "0,gin,10\n1,gin,11\n2,echo,12\n3,echo,13",
         [("gin", "", {}), ("gin", "", {}), ("echo", "", {}), ("echo", "", {})]),
    ],
)  # fmt: skip
def test_guess_does_not_pool_rows_distinguished_by_an_unnamed_column(
    header: str, rows: str, labels: list[tuple[str, str, dict[str, str]]]
) -> None:
    source = Source(None, "x.csv", f"{header}\n{rows}\n".encode())
    runs = [each for each in parse(guess(source), source) if isinstance(each, Reading)]
    assert [(run.variant, run.benchmark, run.params) for run in runs] == labels


def test_columns_with_the_same_name_are_both_kept() -> None:
    source = Source(None, "x.csv", b"build,ms,ms\nold,1,2\n")
    ((_, row),) = read_table(source)
    assert row == {"build": "old", "ms": "1", "ms (column 3)": "2"}


@pytest.mark.parametrize(
    ("metrics", "primary"),
    [
        (["wait.mean"], {"wait.mean"}),
        (["latency.p99", "latency.p90"], {"latency.p90"}),
        (["time_per_op.mean", "bytes_per_op.mean"], {"time_per_op.mean"}),
        (["latency.p99", "wait.mean"], {"latency.p99"}),
        (["score.mean", "wait.mean"], set()),
    ],
)
def test_only_or_known_metric_of_a_table_is_primary(metrics: list[str], primary: set[str]) -> None:
    rows = [
        {"variant": build, "metric": name.partition(".")[0], "stat": name.partition(".")[2],
         "value": value}
        for name in metrics for build in ("old", "new") for value in (1.0, 2.0, 3.0)
    ]  # fmt: skip
    frame = bk.load(pd.DataFrame(rows)).compare(baseline="old").frame
    chosen = frame[frame["primary"]]
    assert set(chosen["metric"] + "." + chosen["stat"]) == primary


WIDE = [{"column": "x", "metric": "latency", "unit": "ms"}, {"column": "y", "metric": "size"}]


def test_missing_cell_does_not_shift_values_to_another_run() -> None:
    (each,) = parse_maps([{"variant": "v", "values": WIDE}], "map.toml")
    text = "v,x,y\na,,100\na,2,200\nb,3,300\n"
    runs = [r for r in parse(each, Source(None, "x", text.encode())) if isinstance(r, Reading)]
    assert [[row[3] for row in run.rows] for run in runs] == [[100.0], [0.002, 200.0], [0.003, 300]]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("999,5", "1.001", "7"), []),  # German: 1001
        (("1,234", "998.5", "7"), [0.9985, 0.007]),
        (("1.001", "1.002", "7"), [0.001001, 0.001002, 0.007]),
    ],
)
def test_points_next_to_decimal_commas_are_not_decimal_points(
    cells: tuple[str, ...], expected: list[float]
) -> None:
    text = "v;x;y\n" + "".join(f"a;{cell};1\n" for cell in cells)
    rows, problems = read(text, variant="v", values=WIDE)
    assert [value for *_, metric, value, _ in rows if metric == "latency"] == pytest.approx(
        expected
    )
    assert sum(metric == "size" for *_, metric, _, _ in rows) == len(cells)
    unclear = "x has both '1.001' and '999,5', so the point may part thousands"
    assert any(unclear in problem for problem in problems) == (not expected)
