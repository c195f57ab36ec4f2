"""The gate as JUnit XML, which every CI system displays.

Regressions are failures; undecided rows are skipped with a reason, so they never pass; rows that
were not compared are errors.

The numbers are in each case's ``system-out``: strict readers refuse properties of a case.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from benchkit.comparison import Contrast, Dropped
from benchkit.errors import ExitCode
from benchkit.gating.events import NO_BASELINE
from benchkit.gating.outcome import NOT_SHOWN, OVER, GateOutcome, RowOutcome, RuleOutcome
from benchkit.gating.result import GateResult
from benchkit.gating.wording import (
    describe_blind,
    describe_cost,
    list_event_texts,
    name_dropped,
    say,
    say_limit,
)
from benchkit.metrics import label
from benchkit.units import printable

_NUMBERS = ("value", "low", "high", "p_over", "p_within")


def to_junit(result: GateResult) -> str:
    """Write a gate's result as JUnit XML."""
    root = ET.Element("testsuites", name="benchkit gate")
    if result.self_test is not None:
        suite = _suite(root, "self-test")
        case = _case(suite, "benchkit.gate", "self-test")
        if not result.self_test.has_passed:
            _add(case, "error", result.sentence, result.self_test.unseen)
    else:
        if result.outcome.problem or not result.outcome.rules:
            suite = _suite(root, "benchkit gate")
            case = _case(suite, "benchkit.gate", "comparison")
            is_error = result.outcome.problem and not result.has_passed
            _add(case, "error" if is_error else "skipped", result.sentence)
        _add_rules(root, result.outcome.rules)
        _add_events(root, result.outcome)
    if result.policy and len(root):
        ET.SubElement(root[0], "system-out").text = f"policy: {printable(result.policy)}"
    for element in (root, *root):
        _count(element)
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False).join(_FRAME)


_FRAME = ('<?xml version="1.0" encoding="UTF-8"?>\n', "\n")


def _add_rules(root: ET.Element, rules: Sequence[RuleOutcome]) -> None:
    suites: dict[str, ET.Element] = {}
    for outcome, row in _cases(rules):
        c = row.contrast if row else None
        pair = f"{c.variant} vs. {c.baseline}" if c else "nothing compared"
        if pair not in suites:
            suites[pair] = _suite(root, pair)
        if row is None:
            case = _case(suites[pair], "benchkit.gate", outcome.rule.name)
            _add(case, "error", describe_blind(outcome), outcome.missing)
        else:
            _add_row(suites[pair], outcome, row)
    for outcome in rules:
        for lost in outcome.dropped:
            pair = f"{lost.variant} vs. {lost.baseline}"
            if pair not in suites:
                suites[pair] = _suite(root, pair)
            _add_dropped(suites[pair], outcome, lost)


def _add_events(root: ET.Element, outcome: GateOutcome) -> None:
    """Add a case for every event that concerns no row."""
    shown = {id(each) for each in outcome.events if each.event is not NO_BASELINE}
    shown_events = [(each, text) for each, text in list_event_texts(outcome) if id(each) in shown]
    suite = _suite(root, "events") if shown_events else root
    for number, (each, text) in enumerate(shown_events, 1):
        case = _case(suite, "benchkit.gate", f"{each.event.name} {number}")
        if each.action == "fail":
            _add(case, "error" if each.exit_code is ExitCode.DATA else "failure", text)
        elif each.action == "warn":
            _add(case, "skipped", text)
        else:
            ET.SubElement(case, "system-out").text = printable(text)


def _cases(rules: Sequence[RuleOutcome]) -> Iterator[tuple[RuleOutcome, RowOutcome | None]]:
    for outcome in rules:
        yield from ((outcome, row) for row in outcome.rows)
        if not outcome.has_compared:
            yield outcome, None


def _add_row(suite: ET.Element, outcome: RuleOutcome, row: RowOutcome) -> None:
    c, rule = row.contrast, row.rule
    case = _case(suite, "benchkit.gate", _name(rule.name, c))
    cost = describe_cost(row)
    message = f"{say(row)}: {cost}, {say_limit(row)}"
    values = {key: getattr(row.evidence, key) for key in _NUMBERS} | {"p_over": row.p_over}
    texts = {
        "outcome": say(row),
        "estimate": "ratio" if row.evidence.is_ratio else f"difference in {c.unit}",
        **{key: f"{value!r}" for key, value in values.items() if value is not None},
        "target": rule.target.text if rule.target else "",
        "limit": rule.limit.text,
        "runs": f"{c.n_baseline} + {c.n_variant}",
    }
    if row.word == OVER:
        if outcome.fails(row):
            _add(case, "failure", message, row.notes)
        elif row.accepted is None:
            _add(case, "skipped", message, row.notes)
        else:
            texts["accepted"] = row.accepted.text
    elif row.word == NOT_SHOWN:
        kind = "failure" if outcome.fails(row) else "skipped"
        _add(case, kind, message, row.notes)
    lines = [f"{key}: {printable(text)}" for key, text in texts.items() if text]
    ET.SubElement(case, "system-out").text = "\n".join(lines)


def _add_dropped(suite: ET.Element, outcome: RuleOutcome, lost: Dropped) -> None:
    case = _case(suite, "benchkit.gate", _name(outcome.rule.name, lost))
    message = f"not compared: {name_dropped(lost)}, only in {lost.baseline}"
    _add(case, "failure" if outcome.choose_action(lost) == "fail" else "skipped", message)


def _name(rule: str, c: Contrast | Dropped) -> str:
    place = " ".join(filter(None, (c.group, c.benchmark, c.params, c.subject)))
    return " · ".join(filter(None, (rule, place, label(c.metric, c.stat), c.tool)))


def _suite(root: ET.Element, name: str) -> ET.Element:
    return ET.SubElement(root, "testsuite", name=printable(name))


def _case(suite: ET.Element, class_name: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", name=printable(name), classname=class_name, time="0")


def _add(case: ET.Element, kind: str, message: str, lines: Sequence[str] = ()) -> None:
    element = ET.SubElement(case, kind, message=printable(message))
    if kind != "skipped":
        element.set("type", kind)
    element.text = "\n".join(map(printable, lines)) or None


def _count(element: ET.Element) -> None:
    """Count the cases of each kind."""
    element.set("tests", str(len(element.findall(".//testcase"))))
    for kind, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        if kind != "skipped" or element.tag == "testsuite":
            element.set(name, str(len(element.findall(f".//{kind}"))))
