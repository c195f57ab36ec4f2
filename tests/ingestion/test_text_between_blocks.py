"""Blocks are repeats of one test only while the text between them adds no name."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

import benchkit as bk

WRK = """\
Running 10s test @ http://localhost:8080/
  4 threads and {connections} connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.20ms    0.40ms  12.31ms   91.20%
    Req/Sec     2.25k   310.20     9.10k    70.10%
  90000 requests in 10.00s, 11.76MB read
Requests/sec:  {rate}.00
Transfer/sec:      1.20MB
"""
GO = "goos: linux\npkg: p\nBenchmarkEncode-8 \t100\t10 ns/op\nPASS\nok  \tp\t1.234s\n"
COMMAND = "wrk -t4 -c64 -d10s http://localhost:8080/"
TEXT_DIFFERS = "because they differ in the surrounding text"


def wrk(rate: int = 9000, connections: int = 64) -> str:
    return WRK.format(rate=rate, connections=connections)


def load(folder: Path, text: str, name: str = "bench.md") -> bk.RunSet:
    (folder / name).write_text(text, encoding="utf-8")
    return bk.load(folder / name)


def count_runs(loaded: bk.RunSet) -> dict[str, int]:
    names = Counter(loaded.runs["benchmark"])
    return {name.removesuffix(" / /"): count for name, count in names.items()}


def list_reasons(loaded: bk.RunSet) -> list[str]:
    findings = loaded.findings
    return list(findings[findings["code"] == "B109"]["message"])


PROMPTS = (
    "bob@host:~/bench/{}$",
    "[root@{} ~]#",
    "➜  {} git:(master) ✗",
    "➜  puma git:({})",
    "PS C:\\bench\\{}>",
    "bob@mac {} %",
)


@pytest.mark.parametrize("prompt", PROMPTS)
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_prompt_in_another_directory_or_on_another_host_begins_a_test(
    tmp_path: Path, prompt: str, fence: str
) -> None:
    text = "".join(
        f"{fence}{prompt.format(name)} {COMMAND}\n{wrk(rate)}{fence}\n"
        for name, rate in (("gin", 9000), ("echo", 8000), ("fiber", 12000))
    )
    loaded = load(tmp_path, text)
    counts = count_runs(loaded)
    assert list(counts.values()) == [1, 1, 1]
    assert all(
        server in name for server, name in zip(("gin", "echo", "fiber"), counts, strict=True)
    )
    assert TEXT_DIFFERS in list_reasons(loaded)[0]


def test_log_lines_that_differ_only_in_durations_leave_repeats(
    tmp_path: Path,
) -> None:
    log = "2024/01/31 10:00:0{0} server started in 15{0}us\n" + GO
    assert count_runs(load(tmp_path, log.format(1) + log.format(2))) == {"Encode": 2}


def test_same_prompt_above_each_block_leaves_repeats(tmp_path: Path) -> None:
    text = "".join(f"bob@host:~/gin$ {COMMAND}\n{wrk(rate)}\n" for rate in (9000, 8000, 8500))
    assert count_runs(load(tmp_path, text)) == {"/": 3}


@pytest.mark.parametrize(
    ("block", "counts"),
    [
        (wrk(), {"Now with gin": 1, "Now with echo": 1}),
        (GO * 3, {"Now with gin / Encode": 3, "Now with echo / Encode": 3}),
    ],
)
def test_name_one_paragraph_above_a_caption_counts(
    tmp_path: Path, block: str, counts: dict[str, int]
) -> None:
    text = "".join(
        f"Now with {name}.\n\nHere is the output:\n\n```\n{block}```\n\n"
        for name in ("gin", "echo")
    )
    loaded = load(tmp_path, text)
    assert count_runs(loaded) == counts
    assert TEXT_DIFFERS in list_reasons(loaded)[0]


def test_line_above_several_captions_applies_to_all(tmp_path: Path) -> None:
    text = "".join(
        f"DB sleep {pause}.\n\nGo:\n\n```\n{wrk()}```\n\nClojure:\n\n```\n{wrk(5000)}```\n\n"
        for pause in (2, 0)
    )
    assert count_runs(load(tmp_path, text)) == {
        f"{name} / DB sleep {pause}": 1 for pause in (2, 0) for name in ("Go", "Clojure")
    }


def test_alternating_captions_leave_repeats(tmp_path: Path) -> None:
    text = f"Go:\n\n```\n{wrk()}```\n\nClojure:\n\n```\n{wrk(5000)}```\n\n"
    assert count_runs(load(tmp_path, text * 3)) == {"Go": 3, "Clojure": 3}


def test_list_items_apply_to_the_runs_below_them(tmp_path: Path) -> None:
    runs = "".join(f"  - run {number}\n\n```\n{wrk()}```\n\n" for number in (1, 2, 3))
    counts = count_runs(load(tmp_path, f"- nginx\n{runs}- caddy\n{runs}"))
    assert counts == {"nginx": 3, "caddy": 3}


def test_line_applies_to_all_blocks_up_to_the_next_one(tmp_path: Path) -> None:
    text = "".join(
        f"{checksum}Benchmarking {name}\n\n" + "".join(wrk(9000, size) for size in (1, 100, 125))
        for name, checksum in (("gin", ""), ("echo", "38f8785470908a\n"), ("chi", "6ec47d1ebb\n"))
    )
    counts = count_runs(load(tmp_path, f"{text}5f16a0e8e2\n", "bench.log"))
    assert list(counts.values()) == [3, 3, 3]
    assert [name.rpartition(" ")[2] for name in counts] == ["gin", "echo", "chi"]


def test_word_after_a_fence_separates_blocks(tmp_path: Path) -> None:
    text = "".join(f"```{name}\n{wrk()}```\n\n" for name in ("gin", "echo"))
    assert count_runs(load(tmp_path, text)) == {"gin": 1, "echo": 1}


@pytest.mark.parametrize("words", [("text", "console"), ("bash", ""), ("", "")])
def test_language_of_a_fence_leaves_repeats(tmp_path: Path, words: tuple[str, str]) -> None:
    text = "".join(f"```{word}\n{wrk()}```\n\n" for word in words)
    assert count_runs(load(tmp_path, text)) == {"/": 2}


@pytest.mark.parametrize(
    "between",
    [
        "",
        "\n---\n\n",
        "$ sleep 5\n",
        "bob@host:~$ sleep 30; \n",
        "real\t0m10.0{}s\nuser\t0m1.2{}s\nsys\t0m0.3{}s\n",
        "Waiting {}0 s before the next run\n",
        "2024-05-01T10:0{}:00Z\n",
        "[1] 1234{}\n",
        "Run {}\n",
        "{}回目\n",
        "Прогон {}\n",
        "try {}:\n",
    ],
)
def test_counts_dates_and_pauses_leave_repeats(tmp_path: Path, between: str) -> None:
    text = "Server: gin\n\n" + "".join(wrk() + between.format(*[n] * 3) for n in (1, 2, 3))
    loaded = load(tmp_path, text)
    assert list(count_runs(loaded).values()) == [3]
    assert not list_reasons(loaded)


WORDS = (
    "Прогон {}",
    "Запуск {}",
    "Попытка {}",
    "Durchlauf {}",
    "Essai {}",
    "Ejecución {}",
    "Execução {}",
    "Prova {}",
    "Próba {}",
    "{}回目",
    "{}차",
    "测试{}",
    "try {}:",
)


@pytest.mark.parametrize("word", WORDS)
def test_words_for_runs_in_other_languages_count_runs(tmp_path: Path, word: str) -> None:
    runs = "".join(f"### {word.format(n)}\n\n```\n{wrk()}```\n\n" for n in (1, 2, 3))
    assert count_runs(load(tmp_path, f"## gin\n\n{runs}## echo\n\n{runs}")) == {"gin": 3, "echo": 3}


def test_tests_without_a_short_name_are_numbered(tmp_path: Path) -> None:
    words = "a long story about what was changed in the server before it was measured once more"
    text = "".join(f"In {name} {words}\n\nOutput:\n\n```\n{wrk()}```\n\n" for name in "AB")
    loaded = load(tmp_path, text)
    assert count_runs(loaded) == {"result 1": 1, "result 2": 1}
    assert TEXT_DIFFERS in list_reasons(loaded)[0]


@pytest.mark.parametrize("shape", ["sleep {}:", "Sleep {}", "# sleep {}"])
def test_setting_is_not_a_pause(tmp_path: Path, shape: str) -> None:
    text = "".join(f"{shape.format(pause)}\n\n```\n{wrk()}```\n\n" for pause in (2, 0))
    assert list(count_runs(load(tmp_path, text)).values()) == [1, 1]


def test_end_of_a_sentence_is_not_a_name(tmp_path: Path) -> None:
    words = "which was measured a while ago on a machine that nobody has any more,\nas told {}"
    text = "".join(
        f"The {name}, {words.format(name)}\n\nOutput:\n\n```\n{wrk()}```\n\n" for name in "AB"
    )
    assert count_runs(load(tmp_path, text)) == {"result 1": 1, "result 2": 1}


def test_heading_of_measured_numbers_is_not_a_name(tmp_path: Path) -> None:
    text = "".join(
        f"## gin\n\n### {count} requests in 60.00{count}s, 2.3GB read\n\n{wrk()}\n"
        for count in (1999331, 1999876)
    )
    assert count_runs(load(tmp_path, text)) == {"/": 2}


WRK2 = WRK.replace(" connections\n", " connections\n  Thread calibration: mean lat.: 2.384ms\n")


@pytest.mark.parametrize(
    "between",
    [
        "```\n\n## Saturation\n\n```\n",
        "```\n\n**Saturation**\n\n```\n",
        "```\n\nThe same with a server that is already saturated by another client:\n\n```\n",
        "$ ./stress.sh\n",
        "bob@host:~/gin$ ./stress.sh\n",
    ],
)
def test_block_below_other_text_does_not_get_the_target_rate_above(
    tmp_path: Path, between: str
) -> None:
    command = "$ wrk2 -t4 -c64 -d10s -R9000 http://localhost:8080/\n"
    first, second = (WRK2.format(rate=rate, connections=64) for rate in (8990, 8800))
    loaded = load(tmp_path, f"# Page\n\n```\n{command}{first}{between}{second}```\n")
    rates = loaded.runs.sort_values("target_rate")["target_rate"]
    assert rates.isna().tolist() == [False, True]
    assert "B314" not in set(loaded.findings["code"])


@pytest.mark.parametrize("between", ["", "\n", "Run 2\n", "$ sleep 5\n", "```\n\n```\n"])
def test_repeats_of_a_block_get_its_target_rate(tmp_path: Path, between: str) -> None:
    command = "$ wrk2 -t4 -c64 -d10s -R9000 http://localhost:8080/\n"
    first, second = (WRK2.format(rate=rate, connections=64) for rate in (8990, 8980))
    loaded = load(tmp_path, f"# Page\n\n```\n{command}{first}{between}{second}```\n")
    assert loaded.runs["target_rate"].tolist() == [9000, 9000]


GATLING = """\
================================================================================
---- Global Information --------------------------------------------------------
> request count                             {count} (OK={count}   KO=0     )
---- Response Time Distribution ------------------------------------------------
> t < 800 ms                                {count} (100%)
> failed                                                 0 (  0%)
================================================================================
"""
K6 = """\
scenarios: (100.00%) 1 scenario, {users} max VUs, 31s max duration (incl. graceful stop):

running (10.0s), 0/{users} VUs, {count} complete and 0 interrupted iterations

  checks.........................: 100.00% ✓ {count} ✗ 0
  http_req_duration..............: avg=42.6ms min=10.32ms med=25.76ms max=142.65ms
  http_reqs......................: {count}     2.215271/s
  iterations.....................: {count}     2.215271/s
  vus............................: 1       min=1       max={users}
  vus_max........................: {users}       min={users}       max={users}
"""


def test_report_of_another_tool_names_no_run(tmp_path: Path) -> None:
    page = "".join(
        f"- {name} test\n\n  - gatling\n  ```\n{GATLING.format(count=count)}  ```\n\n  - k6\n"
        f"  ```\n{K6.format(count=count, users=users)}  ```\n\n"
        for name, users, count in (("Smoke", 1, 25), ("Load", 100, 3530), ("Stress", 400, 1577))
    )
    assert count_runs(load(tmp_path, page)) == {"Smoke test": 1, "Load test": 1, "Stress test": 1}


def test_command_above_a_listing_applies_to_all_its_results(tmp_path: Path) -> None:
    command = "```\n$ wrk2 -t4 -c64 -d10s -R9000 http://localhost:8080/\n```\n\nResults:\n\n```\n"
    text = command + f"gin\n{wrk(8990)}\necho\n{wrk(8980)}```\n"
    loaded = load(tmp_path, text)
    assert count_runs(loaded) == {"gin": 1, "echo": 1}
    assert loaded.runs["target_rate"].tolist() == [9000, 9000]


def test_finding_counts_blocks_and_tests(tmp_path: Path) -> None:
    text = f"gin\n{wrk()}\necho\n{wrk(8000)}{wrk(8100)}"
    loaded = load(tmp_path, text)
    assert count_runs(loaded) == {"gin": 1, "echo": 2}
    assert (
        "the file contains 3 results without distinguishing headings; they count as 2 different "
        "tests"
    ) in list_reasons(loaded)[0]


def test_line_names_a_block_among_others_with_captions(tmp_path: Path) -> None:
    text = "".join(
        f"{caption}\n```\n{COMMAND}\n{wrk(rate)}```\n\n"
        for caption, rate in (("gin with cache", 9000), ("gin:", 8000), ("echo:", 7000))
    )
    assert count_runs(load(tmp_path, text)) == {"gin with cache": 1, "gin": 1, "echo": 1}


@pytest.mark.parametrize("mark", [":", " -"])
def test_long_line_names_a_block_by_its_text_before_a_colon_or_dash(
    tmp_path: Path, mark: str
) -> None:
    prose = "the server has as many workers as the machine has cores, and it keeps them busy"
    text = "".join(
        f"With {name}{mark} {prose}\n\nOutput:\n\n```\n{wrk()}```\n\n" for name in ("gin", "echo")
    )
    assert count_runs(load(tmp_path, text)) == {"With gin": 1, "With echo": 1}


TRACEBACK = """\
Traceback (most recent call last):
  File "server.py", line {}, in write
    self.socket.send(data)
ConnectionResetError: Connection lost
"""


@pytest.mark.parametrize(
    "between",
    [
        "$\n",
        "me@bench:~/load$ \n",
        "[me@bench load]$\n",
        "root@c0ffee:/# \n",
        ">>>\n",
        "loop >>>\n",
        "In [7]:\n",
        TRACEBACK.format(7),
    ],
)
@pytest.mark.parametrize("fence", ["", "```\n"])
def test_empty_prompts_and_tracebacks_name_no_test(
    tmp_path: Path, between: str, fence: str
) -> None:
    text = f"# Server\n\n{fence}{wrk(9000)}{between}{wrk(9001)}{wrk(9002)}{fence}"
    assert count_runs(load(tmp_path, text)) == {"/": 3}


def test_heading_that_ends_like_a_prompt_is_a_heading(tmp_path: Path) -> None:
    text = f"# Server\n\notlp@1.30 10%\n{wrk(9000)}otlp@1.30 50%\n{wrk(5000)}"
    assert list(count_runs(load(tmp_path, text)).values()) == [1, 1]


def test_line_after_a_traceback_names_a_test(tmp_path: Path) -> None:
    text = f"{wrk()}{TRACEBACK.format(7)}falcon\n{wrk()}{TRACEBACK.format(8)}sanic\n{wrk()}"
    assert list(count_runs(load(tmp_path, text)).values()) == [1, 1, 1]


def test_columns_and_rows_of_a_table_are_not_separate_tests(tmp_path: Path) -> None:
    table = (
        "name     old time/op  new time/op  delta\n"
        "Ping-2   65.9µs ±26%  35.4µs ±34%  -46.29%  (p=0.000 n=10+9)\n"
        "Set-2    54.4µs ±62%  44.9µs ±34%     ~     (p=0.133 n=10+9)\n"
    )
    loaded = load(tmp_path, f"with the pool:\n\n{table}\nwithout it:\n\n{table}")
    assert len(loaded.runs) == 8
    (reason,) = list_reasons(loaded)
    assert "contains 2 results per benchmark" in reason
    assert "count as 2 different tests" in reason
