"""Gate output for continuous integration, parsed back by its own readers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import examples
import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from benchkit.config.limits import parse_limit
from benchkit.config.rules import Rule
from benchkit.errors import ExitCode, Finding
from benchkit.gating.annotations import MOST
from benchkit.gating.events import NO_BASELINE, Occurrence
from benchkit.gating.incidents import list_added
from benchkit.gating.judgement import judge_rules
from benchkit.gating.markdown import LONGEST, MARKER
from benchkit.gating.outcome import GateOutcome
from benchkit.gating.result import GateResult, SelfTest
from benchkit.gating.sinks import SINKS, render_sink

if TYPE_CHECKING:
    from conftest import Golden

HOSTILE = '<b>&"|`\n::error::x\x1b[2J@all,%\x07\x85\u2028\u202e'


def rule(name: str, metric: str, *, target: str = "", acceptable: str = "", **more: object) -> Rule:
    return Rule(
        name=name, metric=metric,
        target=parse_limit(target, "test") if target else None,
        acceptable=parse_limit(acceptable, "test") if acceptable else None,
        **more,  # type: ignore[arg-type]
    )  # fmt: skip


def result(*rules: Rule, findings: tuple[Finding, ...] = examples.FINDINGS) -> GateResult:
    outcome = judge_rules(examples.tracing().comparisons, rules, findings)
    return GateResult(outcome=outcome, findings=findings, title="Tracing backends")


MIXED = (
    rule("throughput", "request_rate", target="3%", acceptable="12%"),
    rule("tail", "latency", stat="p99", acceptable="20%", on_inconclusive="fail"),
    rule("median", "latency", stat="p50", acceptable="50 us"),
    rule("gone", "latency", stat="p90", acceptable="5%"),
)


def without_baseline() -> GateResult:
    allowed = Occurrence(event=NO_BASELINE, action="pass")
    return GateResult(outcome=GateOutcome(rules=(), events=(allowed,)))


def nothing_read() -> GateResult:
    return GateResult(outcome=GateOutcome(rules=(), problem=f"no file to read in {HOSTILE}"))


def blind() -> GateResult:
    return GateResult(
        outcome=result(*MIXED).outcome,
        self_test=SelfTest(planted=3, unseen=("latency p99 of otlp: not shown",)),
    )


def hostile() -> GateResult:
    comparisons = examples.tracing().comparisons
    rows = tuple(
        replace(c, benchmark=HOSTILE, variant=HOSTILE, params=HOSTILE)
        for c in comparisons.contrasts[:1]
    )
    outcome = judge_rules(
        replace(comparisons, contrasts=rows), [rule(HOSTILE, "request_rate", acceptable="1%")]
    )
    return GateResult(outcome=outcome, title=HOSTILE)


RESULTS = {
    "mixed": lambda: result(*MIXED),
    "clean": lambda: result(
        rule("apm", "request_rate", target="5%", where=(("variant", ("apm",)),))
    ),
    "no baseline": without_baseline,
    "nothing read": nothing_read,
    "self-test": blind,
    "hostile": hostile,
}


@pytest.mark.parametrize("sink", [name for name in SINKS if name != "comment"])
def test_each_sink_matches_its_golden(sink: str, golden: Golden) -> None:
    endings = {"json": "json", "md": "md", "junit": "xml"}
    golden.check(f"gate/mixed-{sink}.{endings.get(sink, 'txt')}", render_sink(sink, result(*MIXED)))


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("sink", SINKS)
def test_names_in_the_data_have_no_effect(sink: str, name: str) -> None:
    text = render_sink(sink, RESULTS[name]())
    assert not {*"\x1b\x07\x85\u2028\u202e"} & {*text}
    if sink != "annotations":
        assert not any(line.startswith("::") for line in text.splitlines())
    if sink in {"md", "comment"}:
        assert "<b>" not in text
        assert "@all" not in text


@pytest.mark.parametrize("sink", ["annotations", "outputs", "md", "comment"])
def test_name_of_a_new_benchmark_has_no_effect(sink: str) -> None:
    added = list_added([("none", HOSTILE)], {HOSTILE: ["New"]})
    outcome = replace(result(*MIXED).outcome, events=tuple(added))
    text = render_sink(sink, GateResult(outcome=outcome))
    assert not {*"\x1b\x07\x85\u2028\u202e"} & {*text}


#: Attributes and children that strict readers of JUnit XML (Jenkins' xUnit schema) allow.
ALLOWED = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time"},
        {"testcase", "properties"},
    ),
    "testcase": (
        {"name", "time", "classname"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


@pytest.mark.parametrize("name", RESULTS)
def test_junit_is_valid_and_its_counts_match_its_cases(name: str) -> None:
    root = ET.fromstring(render_sink("junit", RESULTS[name]()))  # noqa: S314 - our own text
    for element in root.iter():
        attributes, children = ALLOWED[element.tag]
        assert set(element.attrib) <= attributes
        assert {child.tag for child in element} <= children
    suites = [root, *root.findall("testsuite")]
    for suite in suites:
        assert int(suite.attrib["tests"]) == len(list(suite.iter("testcase"))) > 0
        assert int(suite.attrib["failures"]) == len(list(suite.iter("failure")))
        assert int(suite.attrib["errors"]) == len(list(suite.iter("error")))


def kinds(name: str) -> Iterator[tuple[str, str]]:
    root = ET.fromstring(render_sink("junit", RESULTS[name]()))  # noqa: S314 - our own text
    for case in root.iter("testcase"):
        tags = {child.tag for child in case} - {"system-out"}
        yield case.attrib["name"].partition(" · ")[0], "".join(tags) or "passed"


def test_junit_distinguishes_failed_inconclusive_and_not_compared() -> None:
    cases = list(kinds("mixed"))
    outcome = result(*MIXED).outcome
    assert outcome.exit_code is ExitCode.REGRESSION
    assert cases.count(("throughput", "failure")) == 1
    assert ("throughput", "skipped") in cases
    assert ("tail", "failure") in cases  # inconclusive, and the policy fails it
    assert ("gone", "error") in cases
    assert ("median", "passed") in cases
    assert list(kinds("no baseline")) == [("comparison", "skipped")]
    assert list(kinds("nothing read")) == [("comparison", "error")]
    assert list(kinds("self-test")) == [("self-test", "error")]


def read_metrics(text: str) -> list[Metric]:
    return list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("name", RESULTS)
def test_openmetrics_is_parsed_by_prometheus(name: str) -> None:
    gated = RESULTS[name]()
    families = {f.name: f for f in read_metrics(render_sink("openmetrics", gated))}
    (code,) = families["benchkit_gate_exit_code"].samples
    assert code.value == int(gated.exit_code)
    rows = [row for row in gated.outcome.rows if row.evidence.is_ratio]
    samples = families["benchkit_overhead_ratio"].samples if rows else []
    assert [sample.value for sample in samples] == [row.evidence.value for row in rows]
    shown = [s for s in families["benchkit_gate_outcome"].samples if s.value == 1]
    assert [s.labels["outcome"] for s in shown] == [row.word for row in gated.outcome.rows]


def test_gitlab_report_is_parsed_back_and_short() -> None:
    text = render_sink("gitlab", result(*MIXED))
    assert len(text.splitlines()) == len(result(*MIXED).outcome.rows) + 4
    samples = [s for f in read_metrics(text) for s in f.samples]
    percents = {s.labels["variant"]: s.value for s in samples if s.labels.get("stat") == "mean"}
    assert percents == {"otlp": 13.1, "zipkin": 16.1, "apm": -0.1, "skywalking": 11.5}


def test_gitlab_metric_keeps_its_name_when_rows_are_added() -> None:
    few, many = (render_sink("gitlab", result(*rules)) for rules in (MIXED[:1], MIXED))
    names = [line.rpartition(" ")[0] for line in few.splitlines() if "{" in line]
    assert names
    assert all(f"{name} " in many for name in names)


def test_annotations_are_few_and_state_how_many_are_left_out() -> None:
    rules = [rule(f"gate {number}", "request_rate", acceptable="1%") for number in range(6)]
    lines = render_sink("annotations", result(*rules)).splitlines()
    errors = [line for line in lines if line.startswith("::error ")]
    assert len(errors) == MOST
    assert errors[-1].endswith("more; see the job summary")
    assert render_sink("annotations", RESULTS["clean"]()) == ""
    assert render_sink("annotations", without_baseline()).startswith("::warning ")
    assert render_sink("annotations", nothing_read()).startswith("::error ")


@pytest.mark.parametrize(
    ("name", "verdict", "code"),
    [
        ("mixed", "fail", 1),
        ("clean", "pass", 0),
        ("no baseline", "pass", 0),
        ("nothing read", "fail", 3),
        ("self-test", "fail", 3),
    ],
)
def test_outputs_are_one_line_each(name: str, verdict: str, code: int) -> None:
    lines = render_sink("outputs", RESULTS[name]()).splitlines()
    values = dict(line.split("=", 1) for line in lines)
    assert list(values) == ["verdict", "exit-code", "over", "not-shown", "policy", "sentence"]
    assert (values["verdict"], int(values["exit-code"])) == (verdict, code)


def test_comment_starts_with_its_marker_and_is_bounded() -> None:
    assert render_sink("comment", result(*MIXED)).startswith(f"{MARKER}\n### ✗ Over the limit: ")
    many = [rule(f"gate {number}", "request_rate", acceptable="1%") for number in range(200)]
    long = result(*many, findings=examples.FINDINGS * 500)
    text = render_sink("comment", long)
    assert len(text.encode()) <= LONGEST + len(MARKER) + 1
    assert "more rows, left out for length" in text


def test_findings_are_counted_by_their_lines() -> None:
    twice = tuple(replace(examples.FINDINGS[0], where=name) for name in ("otlp", "zipkin"))
    text = render_sink("md", result(*MIXED, findings=(*twice, examples.FINDINGS[1])))
    listed = text.partition("<summary>2 findings</summary>")[2].partition("</details>")[0]
    assert [line[:6] for line in listed.split("\n") if line] == ["- B310", "- B330"]


def test_every_sink_begins_with_the_same_sentence() -> None:
    mixed = result(*MIXED)
    assert json.loads(render_sink("json", mixed))["sentence"] == mixed.sentence
    assert f"sentence={mixed.sentence}" in render_sink("outputs", mixed)
    assert mixed.sentence.split(" than ")[0] in render_sink("md", mixed).splitlines()[0].replace(
        "\\", ""
    )
