"""Blocks of one file below different text are never repeats of one test."""

from __future__ import annotations

from pathlib import Path

import pytest

import benchkit as bk
from benchkit.errors import DataError
from benchkit.ingestion import surroundings
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

WRK = """\
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency    82.18us   64.99us   2.27ms   90.68%
    Req/Sec    16.17k    14.89k   42.11k    55.00%
  35890 requests in 10.01s, 4.13MB read
Requests/sec:   {rate}
Transfer/sec:    703.40KB
"""
HEADED = "Running 10s test @ http://h/\n  2 threads and 8 connections\n"
VEGETA = """\
Requests      [total, rate, throughput]         {count}, {rate}.00, {rate}.00
Duration      [total, attack, wait]             10.001s, 10s, 1ms
Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 3ms, 3ms, {slow}ms, 9ms
Bytes In      [total, mean]                     5000, 10.00
Bytes Out     [total, mean]                     0, 0.00
Success       [ratio]                           100.00%
Status Codes  [code:count]                      200:{count}
Error Set:
"""


def wrk(rate: int = 5900, head: str = HEADED) -> str:
    return head + WRK.format(rate=f"{rate}.13")


def vegeta(rate: int = 50, slow: int = 5) -> str:
    return VEGETA.format(count=10 * rate, rate=rate, slow=slow)


def load(folder: Path, text: str) -> bk.RunSet:
    (folder / "bench.txt").write_text(text, encoding="utf-8")
    return bk.load(folder / "bench.txt")


def list_runs(loaded: bk.RunSet) -> list[tuple[str, str, int]]:
    runs = loaded.runs[loaded.runs["role"] == "measured"]
    return list(zip(runs["benchmark"], runs["params"], runs["run"], strict=True))


def are_distinct(loaded: bk.RunSet) -> bool:
    return {number for *_, number in list_runs(loaded)} == {1}


def test_command_applies_until_the_next_one(tmp_path: Path) -> None:
    first = "./wrk -t2 -c2 -d10s http://h/\n" + wrk(8300, "") + "\n" + wrk(8306, "")
    second = "./wrk -t64 -c64 -d10s http://h/\n" + wrk(100500, "") + "\n" + wrk(100502, "")
    runs = list_runs(load(tmp_path, f"### TCP\n\n{first}\n{second}"))
    assert runs == [
        ("/", "connections=2,threads=2", 1),
        ("/", "connections=2,threads=2", 2),
        ("/", "connections=64,threads=64", 1),
        ("/", "connections=64,threads=64", 2),
    ]


@pytest.mark.parametrize("between", ["### UDP\n\n", "UDP\n---\n\n", "=== UDP ===\n"])
def test_command_ends_at_a_heading(tmp_path: Path, between: str) -> None:
    first = "# TCP\n\n./wrk -t2 -c2 -d10s http://h/\n" + wrk(8300, "")
    runs = load(tmp_path, f"{first}\n{between}{wrk(9300, '')}").runs
    measured = runs[runs["role"] == "measured"]
    assert list(measured["command"].isna()) == [False, True]


def test_command_does_not_apply_to_a_block_of_another_size(tmp_path: Path) -> None:
    text = "$ wrk -t2 -c8 -d10s http://h/\n" + wrk() + "\n" + wrk(head=HEADED.replace("8", "9"))
    assert list(load(tmp_path, text).runs["command"].isna()) == [False, True]


def test_open_loop_reports_at_different_rates_are_distinct(tmp_path: Path) -> None:
    loaded = load(tmp_path, "\n".join(vegeta(rate) for rate in (50, 200, 4000)))
    assert [params for _, params, _ in list_runs(loaded)] == ["rate=50", "rate=200", "rate=4000"]


def test_open_loop_reports_at_one_rate_are_repeats(tmp_path: Path) -> None:
    text = vegeta() + "\n" + vegeta().replace("50.00, 50.00", "50.04, 50.01")
    assert [number for *_, number in list_runs(load(tmp_path, text))] == [1, 2]


def test_captions_of_several_lines_are_compared_as_a_whole(tmp_path: Path) -> None:
    head = "Duration: {}\nRate: {}\nTimeout: 5s\n"
    text = head.format("10s", "high") + wrk() + "\n" + head.format("5s", "low") + wrk()
    loaded = load(tmp_path, text)
    assert are_distinct(loaded)
    assert "B109" in set(loaded.findings["code"])


def test_ingest_reports_distinct_blocks(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(f"GET\n{wrk()}\nSET\n{wrk(9300)}")
    summary = ingest([str(tmp_path / "notes.md")], Store(str(tmp_path / "store")))
    assert "B109" in {finding.code for finding in summary.findings}


SHAPES = (
    "GET",
    "> GET",
    "[GET]",
    "(GET)",
    "$ ./run-GET.sh",
    "./run.sh GET",
    "$ make bench-GET",
    "Benchmarking GET...",
    "With GET lock",
    "▶ GET",
    "=== RUN GET",
    "// GET",
    "=== GET",
    "| GET |",
    "GET\n────",
)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("block", [wrk, vegeta])
def test_line_of_any_shape_separates_blocks(tmp_path: Path, shape: str, block: object) -> None:
    assert callable(block)
    other = shape.replace("GET", "PUT")
    for gap in ("\n", "\n\n"):
        loaded = load(tmp_path, f"{shape}{gap}{block()}\n{other}{gap}{block()}")
        assert are_distinct(loaded), gap


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("GET", "GET"),
        ("run 1", "run 2"),
        ("Run 1 of GET", "Run 2 of GET"),
        ("[1/2] GET", "[2/2] GET"),
        ("1. GET", "2. GET"),
        ("2024-05-01 10:00:00", "2024-05-01 10:05:00"),
        ("Benchmarking GET (run 1)...", "Benchmarking GET (run 2)..."),
        ("", ""),
    ],
)
def test_lines_without_a_name_leave_repeats(tmp_path: Path, first: str, second: str) -> None:
    loaded = load(tmp_path, f"{first}\n{wrk()}\n{second}\n{wrk()}")
    assert list(loaded.runs["run"]) == [1, 2]


def test_blocks_below_one_line_are_repeats(tmp_path: Path) -> None:
    text = f"GET\n{wrk()}\n{wrk()}\nPUT\n{wrk()}\n{wrk()}"
    assert [run for *_, run in list_runs(load(tmp_path, text))] == [1, 2, 1, 2]


@pytest.mark.parametrize("footer", ["done", "--- done ---", "finished at 10:00:0{}"])
def test_footer_of_a_block_does_not_label_the_next(tmp_path: Path, footer: str) -> None:
    text = "".join(f"{wrk()}{footer.format(n)}\n\n" for n in range(3))
    assert list(load(tmp_path, text).runs["run"]) == [1, 2, 3]


def test_command_does_not_apply_to_a_report_at_another_rate(tmp_path: Path) -> None:
    text = f"$ vegeta attack -rate=50 | vegeta report\n{vegeta(50)}\n{vegeta(200)}"
    assert list(load(tmp_path, text).runs["command"].isna()) == [False, True]


def test_long_lines_with_a_common_prefix_separate_blocks(tmp_path: Path) -> None:
    text = "\n".join(f"a machine {'x' * 120} with {name}\n{wrk()}" for name in ("GET", "PUT"))
    assert are_distinct(load(tmp_path, text))


def test_word_before_a_go_result_on_its_line_names_it(tmp_path: Path) -> None:
    lines = "BenchmarkTree-8 \t5000\t2025145 ns/op\nBenchmarkFull-8 \t9\t3618831 ns/op\n"
    text = f"goos: linux\nBEFORE: {lines}AFTER : {lines}"
    runs = list_runs(load(tmp_path, text))
    tree = [(name, run) for name, _, run in runs if name.endswith("Tree")]
    assert tree == [("BEFORE / Tree", 1), ("AFTER / Tree", 1)]


def test_go_wrk_report_is_recognised_and_refused(tmp_path: Path) -> None:
    head = "  80 goroutine(s) running concurrently\n174140 requests in 4.69s, 94.99MB read\n"
    tail = "Requests/sec:  37117.87\nTransfer/sec:  20.25MB\n\n"
    with pytest.raises(DataError, match="this is a go-wrk report, which benchkit does not read"):
        load(tmp_path, head + tail)


def test_banners_above_blocks_name_them_despite_a_final_banner(tmp_path: Path) -> None:
    text = "".join(f"=== {name} ===\n{wrk()}\n" for name in ("GET", "PUT")) + "=== Summary ===\n"
    assert [name for name, *_ in list_runs(load(tmp_path, text))] == ["GET / /", "PUT / /"]


def test_closing_banner_does_not_name_the_next_block(tmp_path: Path) -> None:
    text = "".join(
        f"[{at}/2] {name}\n{wrk()}=== {name} Benchmark ===\n\n"
        for at, name in enumerate(("GET", "PUT"), 1)
    )
    assert [name for name, *_ in list_runs(load(tmp_path, text))] == ["GET / /", "PUT / /"]


def test_lines_below_a_closing_banner_do_not_name_later_blocks(tmp_path: Path) -> None:
    seed = wrk().replace("8 connections", "2 connections") + "[SEED] 389579 requests\n\n"
    text = "".join(
        f"[{at}/2] {name}...\n{wrk()}=== {name} Benchmark ===\nRequests/sec: 2{at}.5\n\n"
        for at, name in enumerate(("Test GET (read)", "Test PUT (write)"), 1)
    )
    logged = "".join(f"tester-1  | {line}\n" for line in (seed + text).splitlines())
    names = [name for name, *_ in list_runs(load(tmp_path, f"{logged}tester-1 exited with 0\n"))]
    assert names == ["/", "Test GET (read) / /", "Test PUT (write) / /"]


def test_caption_follows_its_heading_in_the_name(tmp_path: Path) -> None:
    text = "# GET\n\n" + "".join(f"Pod: load-{pod}\n{wrk()}\n" for pod in "ab") + f"# PUT\n{wrk()}"
    names = [name for name, *_ in list_runs(load(tmp_path, text))]
    assert names == ["GET / Pod: load-a / /", "GET / Pod: load-b / /", "PUT / /"]


def test_long_line_above_a_block_is_shortened_at_a_word(tmp_path: Path) -> None:
    words = "the backend answers each request only after ten seconds of waiting for the database"
    text = "".join(f"{name} run: {words}\n\n{wrk()}\n" for name in ("Cold", "Warm"))
    names = [name for name, *_ in list_runs(load(tmp_path, text))]
    assert names[0] == "Cold run: the backend answers each request only after ten… / /"
    assert len(set(names)) == 2


def test_ignored_headings_of_a_large_file_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "LARGEST", 400)
    loaded = load(tmp_path, f"# GET\n{wrk()}\n# PUT\n{wrk(5800)}")
    assert any(
        ("so the headings of its 2 results are ignored") in problem.what
        for problem in loaded.diagnostics
    )
    assert not any("JSON" in problem.what for problem in loaded.diagnostics)


def test_ignored_json_of_a_large_file_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "LARGEST", 400)
    json = '```json\n{\n  "result": 1\n}\n```\n'
    loaded = load(tmp_path, f"# GET\n\n{wrk()}\n{'A line.' * 50}\n\n# PUT\n{json}")
    (problem,) = loaded.diagnostics
    assert "so JSON results in it are not read" in problem.what


def test_rates_of_early_reports_without_throughput_count(tmp_path: Path) -> None:
    text = "\n".join(
        vegeta(rate).replace(", throughput]", "]").replace(f".00, {rate}.00", ".00")
        for rate in (50, 200)
    )
    assert are_distinct(load(tmp_path, text))


@pytest.mark.parametrize(
    "shape",
    [
        "== {name}\n\n[source,raw]\n....\n{block}....\n\n",
        "== {name}\n----\n{block}----\n\n",
        ".{name}\n[source,{name}]\n----\n{block}----\n\n",
        ".{name}\n....\n{block}....\n\n",
        '```text title="{name}"\n{block}```\n\n',
        "~~~{{.text caption='{name}'}}\n{block}~~~\n\n",
        '=== "{name}"\n\n    ```\n{block}    ```\n\n',
        "== {name}\n\n[source]\n----\n{block}----\n\n",
        '<TabItem value="x" label="{name}">\n\n```\n{block}```\n\n</TabItem>\n',
        "<TabItem\n  value='{name}'>\n\n```\n{block}```\n\n</TabItem>\n",
        "** {name}\n\n#+begin_example\n{block}#+end_example\n",
        "#+CAPTION: {name}\n#+BEGIN_SRC sh\n{block}#+END_SRC\n",
        '<h2 id="x">{name}</h2>\n<pre><code>{block}</code></pre>\n',
        "<h2>\n  {name}\n</h2>\n<pre>{block}</pre>\n",
        "<p><b>{name}</b></p>\n<pre>\n{block}</pre>\n",
        "<details>\n<summary>\n{name}\n</summary>\n\n```\n{block}```\n</details>\n",
    ],
)
def test_block_titles_name_the_results(tmp_path: Path, shape: str) -> None:
    text = "".join(shape.format(name=name, block=wrk()) for name in ("WARP", "ACTIX"))
    loaded = load(tmp_path, f"= Results\n\n{text}")
    assert [name for name, *_ in list_runs(loaded)] == ["WARP / /", "ACTIX / /"]
    assert "B109" not in set(loaded.findings["code"])


@pytest.mark.parametrize(
    "shape",
    [
        "<details><summary>{name}</summary>\n\n```\n{block}```\n</details>\n",
        '<TabItem label="{name}">\n\n```\n{block}```\n\n</TabItem>\n',
    ],
)
def test_name_from_a_tag_ends_with_the_tag(tmp_path: Path, shape: str) -> None:
    text = shape.format(name="GET", block=wrk()) + f"\n```\n{wrk(5800)}```\n"
    assert [name for name, *_ in list_runs(load(tmp_path, text))] == ["GET / /", "/"]


def test_stars_outside_org_mode_are_list_items(tmp_path: Path) -> None:
    text = f"# GET\n\n* fast\n* small\n\n```\n{wrk()}```\n\n```\n{wrk(5800)}```\n"
    assert [number for *_, number in list_runs(load(tmp_path, text))] == [1, 2]


def test_fence_title_ends_with_the_fence(tmp_path: Path) -> None:
    text = f'# GET\n```text title="may"\n{wrk()}\n{wrk(5800)}```\n```text\n{wrk(9000)}```\n'
    assert list_runs(load(tmp_path, text)) == [
        ("may / /", "connections=8,threads=2", 1),
        ("may / /", "connections=8,threads=2", 2),
        ("/", "connections=8,threads=2", 1),
    ]


def test_fence_titles_name_go_results(tmp_path: Path) -> None:
    fences = "".join(
        f'```text title="{name}"\nBenchmarkA-8 \t100\t10 ns/op\n```\n' for name in ("may", "axum")
    )
    assert [name for name, *_ in list_runs(load(tmp_path, fences))] == ["may / A", "axum / A"]


def test_captions_below_results_name_them(tmp_path: Path) -> None:
    texts = {"without tracing": 5900, "with tracing": 5100}
    text = "".join(f"```\n{wrk(rate)}```\n\n*{name}*\n\n" for name, rate in texts.items())
    loaded = load(tmp_path, f"# Bench\n\nThis is what I saw.\n\n{text}")
    table = loaded.observations
    rates = table[(table["metric"] == "request_rate") & (table["stat"] == "mean")]
    assert dict(zip(rates["benchmark"], rates["value"], strict=True)) == {
        "without tracing / /": 5900.13,
        "with tracing / /": 5100.13,
    }


PREAMBLE = "```\nwrk -t2 -c8 -d10s http://h/\n```\n"


@pytest.mark.parametrize("block", [wrk(), wrk(head="")], ids=["whole", "without its head"])
def test_command_above_several_sections_applies_to_all(tmp_path: Path, block: str) -> None:
    text = f"# Load\n\n{PREAMBLE}\n## gin\n\n{block}\n## echo\n\n{block}\n## chi\n\n{block}"
    runs = load(tmp_path, text).runs
    measured = runs[runs["role"] == "measured"]
    assert list(measured["command"]) == ["wrk -t2 -c8 -d10s http://h/"] * 3
    assert set(measured["params"]) == {"connections=8,threads=2"}
    assert list(measured["benchmark"]) == ["gin / /", "echo / /", "chi / /"]


@pytest.mark.parametrize(
    "other",
    [
        wrk(head=HEADED.replace("//h/", "//g/")),
        wrk(head=HEADED.replace("/h/", "/h/b")),
        wrk(head=HEADED.replace("8 conn", "9 conn")),
    ],
    ids=["host", "path", "size"],
)
def test_command_above_sections_does_not_apply_to_another_test(tmp_path: Path, other: str) -> None:
    text = f"# Load\n\n{PREAMBLE}\n## gin\n\n{wrk()}\n## echo\n\n{other}"
    assert list(load(tmp_path, text).runs["command"].isna()) == [False, True]


def test_command_above_sections_applies_until_the_next_one(tmp_path: Path) -> None:
    second = "wrk -t2 -c9 -d10s http://h/"
    parts = (f"# A\n\n{PREAMBLE}", "## gin", wrk(head=""), "# B", second, "## gin", wrk(head=""))
    runs = load(tmp_path, "\n\n".join((*parts, "## chi", wrk(head="")))).runs
    commands = runs[runs["role"] == "measured"]["command"]
    assert [command.split()[2] for command in commands] == ["-c8", "-c9", "-c9"]


@pytest.mark.parametrize("shape", ["gin:", "gin", "- gin"])
def test_text_above_blocks_at_several_hosts_names_them(tmp_path: Path, shape: str) -> None:
    other = wrk(head=HEADED.replace("//h/", "//g/"))
    runs = list_runs(
        load(tmp_path, f"{shape}\n\n{wrk()}\n{shape.replace('gin', 'chi')}\n\n{other}")
    )
    assert [name for name, *_ in runs] == ["gin / /", "chi / /"]
    assert [params.split(",")[1] for _, params, _ in runs] == ["host=h", "host=g"]


@pytest.mark.parametrize(
    "failed",
    [
        "$ ab -c10 http://{host}/a\nBenchmarking h (be patient)...apr_socket_recv: Refused\n\n",
        "$ wrk -c10 http://{host}/a\nunable to connect to {host} Connection refused\n\n",
    ],
)
def test_failed_runs_at_two_hosts_are_not_repeats(tmp_path: Path, failed: str) -> None:
    loaded = load(tmp_path, "".join(failed.format(host=f"h:{port}") for port in (8080, 8081, 8081)))
    runs = loaded.runs
    assert list(runs["role"]) == ["failed"] * 3
    shown = sorted(zip(runs["params"], runs["run"], strict=True))
    assert shown == [("host=h:8080", 1), ("host=h:8081", 1), ("host=h:8081", 2)]
