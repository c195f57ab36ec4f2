"""The path of a real capture identifies its run."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from benchkit.errors import ConfigError
from benchkit.labels.patterns import PathLabels, compile_pattern, read_path
from benchkit.labels.stems import ToolNames
from benchkit.parsers import registry

TOOLS = ToolNames(registry.tools(), registry.companions(), registry.snapshotting())

#: Paths of real captures and their labels; labels that are not listed are empty.
CAPTURES = """
none/wrk-1.txt variant=none run=1 tool=wrk folder=none
none/wrk-warmup-1.txt variant=none run=1 role=warmup tool=wrk folder=none
apm/cadvisor-v13-1.json variant=apm run=1 tool=cadvisor form=v13 folder=apm
none/spans-8.prom variant=none run=8 tool=spans folder=none
baseline/k6-export-1.json variant=baseline run=1 tool=k6 form=export folder=baseline
baseline/k6-raw-3.csv.gz variant=baseline run=3 tool=k6 form=raw folder=baseline
otel/k6-old-1-export.json variant=otel run=1 tool=k6 form=export left=old folder=otel
otel/k6-handlesummary-1.txt variant=otel run=1 tool=k6 left=handlesummary folder=otel
otel/server-k6-full-1.log variant=otel run=1 tool=server leftover=k6-full folder=otel
nginx/ab-c20-1.txt variant=nginx connections=20 run=1 tool=ab folder=nginx
nginx/ab-c100-1.tsv.gz variant=nginx connections=100 run=1 tool=ab folder=nginx
nginx/ab-k-c30-1.txt variant=nginx connections=30 run=1 tool=ab left=k folder=nginx
nginx/hey-z3s-q50-1.txt variant=nginx run=1 tool=hey left=z3s-q50 folder=nginx
agent/vegeta-text-1.txt variant=agent run=1 tool=vegeta form=text folder=agent
agent/vegeta-bodies-1.bin variant=agent run=1 tool=vegeta left=bodies folder=agent
agent/vegeta-text-merged.txt variant=agent role=aggregate tool=vegeta form=text folder=agent
a/cadvisor-v21-consumer-2.json variant=a run=2 tool=cadvisor form=v21 leftover=consumer folder=a
edge/vegeta-results-overload.csv.gz variant=edge tool=vegeta form=results left=overload folder=edge
baseline.txt variant=baseline
Baseline/gobench-1.txt variant=Baseline run=1 tool=gobench folder=Baseline
pinned/Baseline.txt group=pinned variant=Baseline folder=pinned
interleaved/OTel_Enabled.txt group=interleaved variant=OTel_Enabled folder=interleaved
single/gobench-all-1.txt variant=single run=1 tool=gobench left=all folder=single
benchstat/new-2file.csv group=benchstat variant=new-2file folder=benchstat
k6/k6-v0.49-ansi-pty-1.txt variant=k6 run=1 tool=k6 left=v0.49-ansi-pty folder=k6
truncated/wrk.cut30.txt group=truncated variant=wrk.cut30 folder=truncated
crlf/wrk.txt variant=crlf tool=wrk folder=crlf
encoding/utf16le-bom-wrk.txt group=encoding variant=utf16le-bom-wrk folder=encoding
"""

LAYOUTS = """
{variant}.txt a/base.txt group=a variant=base
{scenario}/{variant}/{repeat}.* ping/otlp/4.json benchmark=ping variant=otlp run=4
{variant}-c{concurrency}-{run}.{ext} no-agent-c8-2.json.gz variant=no-agent run=2 connections=8
{variant}/{payload}/* none/1k/wrk-warmup-2.txt variant=none payload=1k run=2 role=warmup tool=wrk
{tool}-{variant}.{ext} k6-otel.json variant=otel tool=k6
{group}/runs/{variant}/… a/b/runs/x/k6-export-2.json group=a/b variant=x run=2 tool=k6 form=export
{tool}-{run}.{ext} wrk-5.txt variant=root run=5 tool=wrk
{variant} v1/base.txt group=v1 variant=base
{variant}/{variant}-{run}.{ext} x/none/none-2.txt group=x variant=none run=2
{variant}\\{run}.{ext} none/2.txt variant=none run=2
{variant}_{run}.{ext} none/wrk-1.txt variant=none run=1 tool=wrk
"""


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def labels(words: list[str], folder: str = "") -> PathLabels:
    """Build labels from words like ``run=1``; ``left`` is a benchmark in the stem."""
    facts = dict(word.split("=", 1) for word in words)
    left = facts.pop("left", "")
    return PathLabels(
        group=facts.pop("group", ""),
        variant=facts.pop("variant", ""),
        tool=facts.pop("tool", ""),
        form=facts.pop("form", ""),
        benchmark=facts.pop("benchmark", left),
        leftover=facts.pop("leftover", left),
        run=int(facts.pop("run")) if "run" in facts else None,
        role=facts.pop("role", "measured"),
        folder=facts.pop("folder", folder),
        params=tuple(facts.items()),
    )


def read(path: str, root_name: str = "", pattern: str | None = None) -> PathLabels:
    return read_path(PurePosixPath(path), tools=TOOLS, root_name=root_name, pattern=pattern)


@pytest.mark.parametrize(("path", "words"), [(row[0], row[1:]) for row in rows(CAPTURES)])
def test_path_of_a_capture_gives_its_labels(path: str, words: list[str]) -> None:
    assert read(path, "some-root") == labels(words)


@pytest.mark.parametrize(
    ("pattern", "path", "words"), [(*row[:2], row[2:]) for row in rows(LAYOUTS)]
)
def test_layout_gives_the_labels(pattern: str, path: str, words: list[str]) -> None:
    parsed = read(path, root_name="root", pattern=pattern)
    assert parsed == labels(words, folder=path.rpartition("/")[0])._replace(
        by_layout=parsed.by_layout
    )


def test_folder_of_snapshots_is_one_source() -> None:
    first = read("none/cadvisor-metrics-1/01-1795219562862.prom.gz")
    last = read("none/cadvisor-metrics-1/17-1795219578234.prom.gz")
    assert first == last
    assert first.series == "none/cadvisor-metrics-1"
    assert (first.variant, first.tool, first.form, first.run) == ("none", "cadvisor", "metrics", 1)
    assert first.folder == "none"


@pytest.mark.parametrize(
    "path", ["spans-1/wrk-1.txt", "prometheus-exporter/wrk-1.txt", "server-1/wrk-1.txt"]
)
def test_variant_may_be_named_like_a_companion(path: str) -> None:
    parsed = read(path)
    assert parsed.variant == path.partition("/")[0]
    assert (parsed.tool, parsed.run, parsed.series) == ("wrk", 1, "")


@pytest.mark.parametrize(
    ("path", "group", "variant", "run"),
    [
        ("eu/west/none/wrk-1.txt", "eu/west", "none", 1),
        ("none/7.txt", "", "none", 7),
        ("eu/none/7.txt", "eu", "none", 7),
        ("none/3/wrk.txt", "", "none", 3),
        ("none/3/wrk_output.txt", "", "none", 3),
        ("eu/none/3/wrk-warmup.txt", "eu", "none", 3),
        ("v2/10/wrk-2.txt", "v2", "10", 2),
        ("no-agent-2.txt", "", "no-agent", 2),
        ("eu/no-agent-2.json.gz", "eu", "no-agent", 2),
        ("no-agent.txt", "", "no-agent", None),
        ("baseline", "", "baseline", None),
        ("otlp v1.2.txt", "", "otlp v1.2", None),
        ("my variant/wrk - 2.txt", "", "my variant", 2),
        ("none\\wrk-4.txt", "", "none", 4),
        ("../results/none/wrk-4.txt", "results", "none", 4),
        ("/data/none/wrk-4.txt", "data", "none", 4),
        ("none/docker-stats-2.txt", "", "none", 2),
    ],
)
def test_first_matching_pattern_wins(path: str, group: str, variant: str, run: int) -> None:
    parsed = read(path)
    assert (parsed.group, parsed.variant, parsed.run) == (group, variant, run)


@pytest.mark.parametrize(
    ("path", "variant", "run"),
    [
        ("wrk-1.txt", "none", 1),
        ("wrk.txt", "none", None),
        ("1.txt", "none", 1),
        ("2/wrk.txt", "none", 2),
        ("baseline.txt", "baseline", None),
        ("otlp-3.txt", "otlp", 3),
        ("cadvisor-metrics-1/01-17.prom", "none", 1),
    ],
)
def test_ingested_folder_is_the_variant_if_no_pattern_gives_one(
    path: str, variant: str, run: int
) -> None:
    parsed = read(path, root_name="none")
    assert (parsed.group, parsed.variant, parsed.run) == ("", variant, run)


@pytest.mark.parametrize(
    ("path", "variant"), [("wrk-1.txt", "wrk"), ("1.txt", "1"), ("wrk.txt", "wrk")]
)
def test_name_is_the_variant_without_a_folder(path: str, variant: str) -> None:
    assert read(path).variant == variant


def test_last_of_several_numbers_is_the_run() -> None:
    parsed = read("none/wrk-500-3.txt")
    assert (parsed.run, parsed.leftover, parsed.benchmark) == (3, "500", "500")


def test_tokens_may_be_in_any_order() -> None:
    parsed = {read(f"none/k6-{stem}.json") for stem in ("1-c8-export-ping", "ping-export-1-c8")}
    assert len(parsed) == 1
    assert parsed.pop().params == (("connections", "8"),)


def test_layout_ignores_the_root_and_dots() -> None:
    assert read("/data/none/2.txt", pattern="{variant}/{run}.{ext}").group == "data"
    assert read("../none/2.txt", pattern="{variant}/{run}.{ext}").group == ""


def test_file_without_a_layout_match_is_read_by_default_rules() -> None:
    assert read("none/wrk-1.txt", pattern="{variant}_{run}.{ext}") == read("none/wrk-1.txt")


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("{varient}/{run}.txt", "{variant}"),
        ("{variant}/{runs}.txt", "{run}"),
        ("{}/{run}.txt", "known placeholders: variant"),
        ("{a b}/x.txt", "known placeholders: variant"),
        ("{variant/x.txt", "use a pattern like"),
        ("results/*.txt", "use a pattern like"),
        ("", "use a pattern like"),
    ],
)
def test_invalid_layout_is_refused(pattern: str, hint: str) -> None:
    with pytest.raises(ConfigError) as error:
        read("none/wrk-1.txt", pattern=pattern or " ")
    assert hint in error.value.hint
    assert error.value.where == "layout"


names = st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=12)


@pytest.mark.parametrize(("companions", "benchmark"), [((), "full"), (("mytop",), "")])
def test_remaining_stem_of_a_companion_is_not_a_benchmark(
    companions: tuple[str, ...], benchmark: str
) -> None:
    tools = ToolNames(frozenset({"mytop"}), frozenset(companions))
    parsed = read_path("none/mytop-full-1.log", tools=tools)
    assert (parsed.tool, parsed.leftover, parsed.benchmark) == ("mytop", "full", benchmark)


@given(st.lists(names.filter(lambda name: name not in (".", "..")), min_size=1, max_size=5), names)
@example(["0-0\x1f"], "0")
def test_every_path_has_a_variant(parts: list[str], root_name: str) -> None:
    parsed = read_path(PurePosixPath(*parts), tools=TOOLS, root_name=root_name)
    assert parsed.variant
    assert parsed.role in ("measured", "warmup", "aggregate")
    assert parsed.run is None or parsed.run >= 0


@given(
    group=st.sampled_from(["", "eu", "eu/west"]),
    variant=st.from_regex(r"[a-z]{3,8}(-[a-z]{3,8})?", fullmatch=True),
    tool=st.sampled_from(sorted(TOOLS.known)),
    run=st.integers(0, 10**6),
    extension=st.sampled_from(["txt", "json", "json.gz", "log"]),
)
def test_written_labels_are_read_back(
    group: str, variant: str, tool: str, run: int, extension: str
) -> None:
    path = PurePosixPath(group, variant, f"{tool}-{run}.{extension}")
    parsed = read_path(path, tools=TOOLS, root_name="root")
    assert (parsed.group, parsed.variant, parsed.tool, parsed.run) == (group, variant, tool, run)


@pytest.mark.parametrize("tool", sorted(TOOLS.known))
def test_every_tool_name_is_recognised_in_a_stem(tool: str) -> None:
    parsed = read_path(f"none/{tool}-1.txt", tools=TOOLS, root_name="root")
    assert (parsed.variant, parsed.tool, parsed.run) == ("none", tool, 1)


def test_many_wildcards_match_quickly() -> None:
    name = "a" * 200
    for pattern in ("*" * 60 + "{variant}Q", "*a" * 60 + "{variant}Q", "{anything}a" * 60 + "{b}Q"):
        assert compile_pattern(pattern).read("", name, name) is None
    assert compile_pattern("*x*-*y*-{run}").read("", "x", "axb-cy-3") == {"run": "3", "leading": ""}


def test_component_with_many_placeholders_is_refused() -> None:
    with pytest.raises(ConfigError, match="may never finish"):
        compile_pattern("".join(f"{{a{n}}}a" for n in range(60)) + "Q")
    assert len(compile_pattern("/".join(f"{{a{n}}}" for n in range(20))).names) == 20
