"""Names from bold lines and short captions above the results of one page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from invocation import benchkit

import benchkit as bk
from benchkit.redaction.marks import KEY_BYTES, current_key, use_key

REPORT = """\
Running 10s test @ http://localhost:8080/
  2 threads and 10 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   635.91us    0.89ms  12.92ms   93.69%
    Req/Sec    56.20k     8.07k   62.00k    86.54%
  {count} requests in 10.00s, 224.64MB read
Requests/sec:  {rate}.27
Transfer/sec:     22.46MB
"""


def list_names(folder: Path, *lines: str) -> list[tuple[str, int]]:
    """Return the names and run numbers of results at 22,464 and more requests per second."""
    blocks = [
        f"{line}\n\n```\n{REPORT.format(count=10 * rate, rate=rate)}```\n"
        for rate, line in enumerate(lines, 22464)
    ]
    (folder / "page.md").write_text("# Results\n\n" + "\n".join(blocks), encoding="utf-8")
    runs = bk.load(folder / "page.md").runs
    return list(zip(runs["benchmark"], runs["run"], strict=True))


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        (("**v2.41.0**", "**v2.42.0** (with the new pool)"),
         ("v2.41.0", "v2.42.0 (with the new pool)")),
        (("**v2.41.0** (before)", "**v2.42.0**"), ("v2.41.0 (before)", "v2.42.0")),
        (("__v2.41.0__", "__v2.42.0__ (pool):"), ("v2.41.0", "v2.42.0 (pool)")),
        ((".net core", ".net framework"), (".net core", ".net framework")),
        ((".net core:", "node:"), (".net core", "node")),
        (("C#", "C"), ("C#", "C")),
        (("... after GET ...", "... after PUT ..."), ("after GET", "after PUT")),
        (("**10 ms**", "**20 ms**"), ("10 ms", "20 ms")),
        (("**500 req/s**", "**700 req/s**"), ("500 req/s", "700 req/s")),
    ],
)  # fmt: skip
def test_line_above_a_result_names_it(
    tmp_path: Path, lines: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert list_names(tmp_path, *lines) == [(f"{name} / /", 1) for name in names]


@pytest.mark.parametrize(
    "line", ["**{}.27 req/s**", "**Requests/sec: {}.27**", "__{} RPS__", "- **{} requests/second**"]
)
def test_bold_line_with_only_the_rate_is_not_a_name(tmp_path: Path, line: str) -> None:
    lines = (line.format("22464"), line.format("22465"))
    assert list_names(tmp_path, *lines) == [("/", 1), ("/", 2)]
    named = (f"GET\n{lines[0]}", f"POST\n{lines[1]}")
    assert list_names(tmp_path, *named) == [("GET / /", 1), ("POST / /", 1)]


def test_rate_is_left_out_of_a_bold_name(tmp_path: Path) -> None:
    lines = "**GET: 22464 req/sec**", "**POST (22465.27 RPS):**", "**PUT 9999 req/s**"
    assert list_names(tmp_path, *lines) == [
        ("GET / /", 1), ("POST / /", 1), ("PUT 9999 req/s / /", 1)
    ]  # fmt: skip


def test_bold_value_is_read(tmp_path: Path) -> None:
    report = (
        REPORT.format(count=9, rate=9).replace("9.27", "**9.27**").replace("22.46MB", "**1.5MB**")
    )
    (tmp_path / "page.md").write_text(f"```\n{report}```\n", encoding="utf-8")
    loaded = bk.load(tmp_path / "page.md")
    values = loaded.observations.set_index("metric")["value"]
    assert not loaded.diagnostics
    assert (values["request_rate"], values["bandwidth_in"]) == (9.27, 1.5 * 2**20)


@pytest.mark.parametrize(
    "prompts",
    [
        ("user@host ~ %", "user@host proj %"),
        ("user@host dir $", "user@host other $"),
        ("➜  dir git:(main) ✗", "➜  other git:(main)"),
        ("➜  ~", "➜  api"),
    ],
)
def test_prompt_without_a_command_is_not_a_name(tmp_path: Path, prompts: tuple[str, str]) -> None:
    assert list_names(tmp_path, *prompts) == [("/", 1), ("/", 2)]


def test_prompts_on_different_branches_give_branch_names(tmp_path: Path) -> None:
    prompts = "➜  dir git:(main) ✗", "➜  dir git:(pool)"
    assert list_names(tmp_path, *prompts) == [("main / /", 1), ("pool / /", 1)]


def test_percentage_after_a_name_is_not_a_prompt(tmp_path: Path) -> None:
    names = list_names(tmp_path, "otlp@1.30 10 %", "otlp@1.30 20 %")
    assert names == [("otlp@1.30 10 % / /", 1), ("otlp@1.30 20 % / /", 1)]


def test_split_sees_lines_above_a_shared_paragraph(tmp_path: Path) -> None:
    lines = [f"{side}\n\nWith 10 connections:" for side in ("Before", "After")]
    assert list_names(tmp_path, *lines) == [("Before / /", 1), ("After / /", 1)]
    pattern = "^(?P<variant>Before|After)$"
    printed = benchkit("runs", "page.md", "--split", pattern, "--format", "json", cwd=tmp_path)
    assert [run["variant"] for run in json.loads(printed.stdout)["runs"]] == ["Before", "After"]


@pytest.mark.parametrize("key", [b"1", b"2"])
def test_command_without_a_secret_is_shown_the_same_for_every_key(
    tmp_path: Path, key: bytes
) -> None:
    before = current_key()
    use_key(key * KEY_BYTES)
    lines = "$ git checkout v1", "$ git checkout feature/pool-2"
    assert list_names(tmp_path, *lines) == [(f"{line[2:]} / /", 1) for line in lines]
    use_key(before)
