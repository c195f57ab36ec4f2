"""What a store records about sources that gave no run, or only part of their content."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import benchkit as bk
from benchkit.cli import run
from benchkit.errors import DataError
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

FIXTURES = Path(__file__).parents[2] / "fixtures"
WRK = FIXTURES / "tracing-wrk" / "none" / "wrk-1.txt"
K6 = FIXTURES / "shorturl-k6" / "baseline" / "k6-full-1-export.json"


def list_remarks(store: Store, role: str = "damaged") -> list[tuple[str, str, str]]:
    """Return variant, tool and remark of the runs with a role; paths are reduced to their names."""
    runs = bk.load(store=store.url).runs
    chosen = runs[runs["role"] == role]
    rows = zip(chosen["variant"], chosen["tool"], chosen["remark"], strict=True)
    return [(variant, tool, remark.rpartition("/")[2]) for variant, tool, remark in rows]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def add(folder: Path, name: str, content: bytes) -> None:
    path = folder / "results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "content", "tool", "remark"),
    [
        ("new/k6-2.json", K6.read_bytes()[:300], "k6", "k6-2.json"),
        ("new/wrk-2.txt", b"", "wrk", "wrk-2.txt: the file is empty"),
        ("new/wrk-2.txt", b"Segmentation fault\n", "wrk", "the command failed"),
        ("new/wrk-2.txt", WRK.read_bytes()[:150], "wrk", "is truncated or altered"),
        ("new/k6-2.json.gz", gzip.compress(K6.read_bytes())[:200], "k6", "damaged or truncated"),
    ],
)
def test_damaged_source_of_a_known_tool_is_stored(
    name: str, content: bytes, tool: str, remark: str, tmp_path: Path, store: Store
) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, name, content)
    summary = ingest([str(tmp_path / "results")], store)
    ((variant, marked, reason),) = list_remarks(store)
    assert (variant, marked) == ("new", tool)
    assert remark in reason
    runs = bk.load(store=store.url).runs
    assert summary.runs == (runs["role"] != "damaged").sum()


def test_file_of_unknown_format_is_not_damaged(tmp_path: Path, store: Store) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, "new/notes.txt", b"measured on a Monday\n")
    ingest([str(tmp_path / "results")], store)
    assert list_remarks(store) == []


def test_repaired_source_replaces_its_damage(tmp_path: Path, store: Store) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, "new/wrk-2.txt", b"")
    for _ in range(2):  # a refused file is refused again, and stored once
        summary = ingest([str(tmp_path / "results")], store)
        assert summary.count("refused") == 1
        assert len(list_remarks(store)) == 1
    add(tmp_path, "new/wrk-2.txt", WRK.read_bytes().replace(b"15s test", b"16s test"))
    ingest([str(tmp_path / "results")], store)
    assert list_remarks(store) == []


def test_failed_run_without_output_is_stored_with_its_reason(tmp_path: Path, store: Store) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, "new/wrk-2.txt", b"")
    add(tmp_path, "new/wrk-2.txt.run.toml", b'role = "failed"\nexit = 139\n')
    ingest([str(tmp_path / "results")], store)
    ((variant, tool, reason),) = list_remarks(store, "failed")
    assert (variant, tool) == ("new", "wrk")
    assert "its sidecar records a failed run" in reason
    assert list_remarks(store) == []


def test_each_failed_run_of_a_page_has_a_separate_reason(tmp_path: Path, store: Store) -> None:
    page = "".join(
        f"## {name}\n\n$ wrk -t2 -c8 http://{name}/\nunable to connect to {name}:80 {reason}\n\n"
        for name, reason in (("alpha", "Connection refused"), ("beta", "Connection timed out"))
    )
    (tmp_path / "page.md").write_text(page + "## gamma\n\n" + WRK.read_text())
    ingest([str(tmp_path / "page.md")], store)
    reasons = [remark for *_, remark in list_remarks(store, "failed")]
    assert [name in remark for name, remark in zip(("alpha", "beta"), reasons, strict=True)] == [
        True,
        True,
    ]


def test_runs_lists_damaged_sources(
    tmp_path: Path, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, "new/wrk-2.txt", b"")
    ingest([str(tmp_path / "results")], store)
    assert run(["runs", "--store", store.url]) == 0
    printed = capsys.readouterr().out
    assert "damaged" in printed
    assert "the file is empty" in printed


def test_crossed_threshold_is_a_remark_on_a_measured_run(tmp_path: Path, store: Store) -> None:
    """The run is complete: leaving out slow runs would flatter their variant."""
    source = FIXTURES / "k6-edge" / "console" / "k6-v0.49-ansi-pty-1.txt"
    add(tmp_path, "new/k6-1.txt", source.read_bytes())
    ingest([str(tmp_path / "results")], store)
    (run_,) = bk.load(store=store.url).runs.to_dict("records")
    assert (run_["role"], run_["run"], run_["tool"]) == ("measured", 1, "k6")
    _, _, remark = run_["remark"].rpartition("/")
    assert remark == "k6-1.txt:13: crossed 2 thresholds: checks, http_req_duration"


def test_exit_code_fails_runs_except_complete_ones(tmp_path: Path, store: Store) -> None:
    """Exit code 99 of k6 means a crossed threshold; for wrk a failure, for counters neither."""
    k6 = FIXTURES / "k6-edge" / "console" / "k6-v0.49-ansi-pty-1.txt"
    memory = b'container_memory_working_set_bytes{name="api"} 1024 1700000000000\n'
    add(tmp_path, "new/k6-1.txt", k6.read_bytes())
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    add(tmp_path, "new/cadvisor-1.txt", memory)
    add(tmp_path, "new/run.toml", b"exit = 99\n")
    ingest([str(tmp_path / "results")], store)
    runs = bk.load(store=store.url).runs
    roles = dict(zip(runs["tool"], runs["role"], strict=True))
    assert roles == {"k6": "measured", "wrk": "failed", "cadvisor": "companion"}


def test_formats_of_one_run_with_a_crossed_threshold_stay_one_run(tmp_path: Path) -> None:
    for form in ("old-1.txt", "old-1-export.json"):
        source = FIXTURES / "shorturl-k6" / "baseline" / f"k6-{form}"
        add(tmp_path, f"new/k6-{form}", source.read_bytes())
    runs = bk.load(tmp_path / "results").runs
    assert runs["role"].tolist() == ["measured"]
    assert runs["remark"].str.contains("http_req_duration").all()


def test_warmup_with_a_crossed_threshold_fails_nothing(tmp_path: Path, store: Store) -> None:
    source = FIXTURES / "k6-edge" / "console" / "k6-v0.49-ansi-pty-1.txt"
    add(tmp_path, "new/k6-warmup-1.txt", source.read_bytes())
    ingest([str(tmp_path / "results")], store)
    assert bk.load(store=store.url).runs["role"].tolist() == ["warmup"]


def test_unknown_origin_lists_the_known_ones(tmp_path: Path, store: Store) -> None:
    add(tmp_path, "new/wrk-1.txt", WRK.read_bytes())
    ingest([str(tmp_path / "results")], store)
    with pytest.raises(bk.errors.SelectionError, match="the store has no origins"):
        bk.load(store=store.url, origin="github/71")


def test_bad_table_cell_is_damage_of_each_variant_of_the_table(
    tmp_path: Path,
) -> None:
    rows = [f"{variant},{run},{run}.5" for variant in ("none", "otlp") for run in (1, 2, 3)]
    table = tmp_path / "bad.csv"
    table.write_text("\n".join(["build,run,ms", *rows, "otlp,4,oops", ""]), encoding="utf-8")
    settings = tmp_path / "map.toml"
    text = '[[map]]\nvariant = "build"\nrun = "run"\nvalues = [{column = "ms", metric = "wait"}]\n'
    settings.write_text(text, encoding="utf-8")
    store = tmp_path / "store"
    run(["ingest", str(table), "--map", str(settings), "--store", str(store), "--quiet"])
    runs = bk.load(store).runs
    assert sorted(runs[runs["role"] == "damaged"]["variant"]) == ["none", "otlp"]


def test_most_frequent_reason_comes_first_if_nothing_was_read(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("weather\n")
    for name in ("b.txt", "c.txt", "d.txt"):
        (tmp_path / name).write_text("Before | After | Ratio | Benchmark\n")
    files = [tmp_path / name for name in ("a.txt", "b.txt", "c.txt", "d.txt")]
    with pytest.raises(bk.DataError) as refused:
        bk.load(*files)
    assert refused.value.where.endswith("b.txt")
    kind = "asv's comparison, which benchkit does not read"
    assert f"{kind} (and 2 more; also {files[0]}: unknown format" in refused.value.what


@pytest.mark.parametrize(
    ("path", "tool"),
    [("jmh", "jmh"), ("hyperfine", "hyperfine"), ("pytest-benchmark", "pytest-benchmark")],
)
def test_truncated_json_is_reported_with_its_tool(path: str, tool: str, tmp_path: Path) -> None:
    """The error used to suggest repeating the request, although there was none."""
    content = min((FIXTURES / path).rglob("*.json")).read_bytes()
    (tmp_path / "cut.json").write_bytes(content[: len(content) // 2])
    words = f"JSON of {tool}, truncated: .*; copy or write the whole file again$"
    with pytest.raises(DataError, match=words):
        bk.load(tmp_path / "cut.json")


LATIN = "".join(f"BenchmarkMen{c} \t 9\t {n} ns/op\n" for c in "üùü" for n in (1, 2))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (LATIN.encode("latin-1"), ("Men⣼", "Men⣹")),
        (LATIN.encode("utf-16"), ("Menü", "Menù")),
        (
            b"".join(
                b'{"Action":"output","Output":"BenchmarkMen%s \\t9\\t5 ns/op\\n"}\n' % odd
                for odd in (b"\\ud800", b"\\ud801", b"\xfc")
            ),
            (r"Men\ud800", r"Men\ud801", "Men⣼"),
        ),
    ],
)
def test_names_that_differ_in_invalid_utf8_bytes_stay_distinct(
    text: bytes, names: tuple[str, ...], tmp_path: Path, store: Store
) -> None:
    add(tmp_path, "go-1.txt", text)
    summary = ingest([str(tmp_path / "results")], store)
    assert set(bk.load(store=store.url).runs["benchmark"]) == set(names)
    problems = [problem.what for problem in summary.diagnostics]
    shown = ["the file is not UTF-8: byte 0xFC of its names is shown as ⣼"]
    assert problems == (shown if "Men⣼" in names else [])
