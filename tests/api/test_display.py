"""How results and comparisons display in a plain shell and in a notebook."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import benchkit as bk
from benchkit import audit
from benchkit.errors import NO_MATHS, Finding
from benchkit.tables.model import Cell, Column, Table

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def wrk() -> bk.RunSet:
    return bk.load(FIXTURES / "tracing-wrk")


def test_results_display_as_one_short_paragraph(wrk: bk.RunSet) -> None:
    assert repr(wrk) == (
        "<RunSet: 5 variants with 40 measured runs of wrk: apm 8, none 8, otlp 8, skywalking 8, "
        "zipkin 8. Next: .compare(baseline='none')>"
    )
    assert "Findings: 5 warnings, 7 notes. Next" in str(wrk)
    assert len(wrk.findings) == 12


def test_repr_does_not_audit_and_the_card_audits_once(
    wrk: bk.RunSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Mock(return_value=())
    monkeypatch.setattr(bk.RunSet, "check", check)
    assert repr(wrk)
    assert check.call_count == 0
    assert wrk._repr_html_()
    assert check.call_count == 1


def test_results_are_audited_once_per_baseline(
    wrk: bk.RunSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = Mock(wraps=audit.check)
    monkeypatch.setattr("benchkit.api.runset.check", looked)
    fresh = wrk.where(variant=["none", "otlp"])
    assert fresh.check() is fresh.check()
    assert len(fresh.findings) == len(fresh.check()) > 0
    assert str(fresh)
    assert fresh._repr_html_()
    assert looked.call_count == 1
    assert "B319" in {finding.code for finding in fresh.check(baseline="otlp")}
    assert looked.call_count == 2
    fresh.where(variant="none").check()
    assert looked.call_count == 3


def test_very_many_runs_are_audited_on_request_only(
    wrk: bk.RunSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = Mock(return_value=())
    monkeypatch.setattr(bk.RunSet, "check", check)
    many = replace(wrk, runs=pd.concat([wrk.runs] * 30))
    assert "findings are computed only on request: see .findings" in str(many)
    assert "findings are computed only on request: see .findings" in many._repr_html_()
    assert check.call_count == 0
    assert "on request" not in str(wrk)
    assert check.call_count == 1


def test_unreadable_files_are_counted(tmp_path: Path) -> None:
    for name in ("a/1.txt", "b/1.txt", "b/2.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((FIXTURES / "tracing-wrk/none/wrk-1.txt").read_bytes())
    (tmp_path / "b" / "3.txt").write_text("no result", encoding="utf-8")
    results = bk.load(tmp_path)
    assert repr(results).endswith(". 1 source could not be read: see .diagnostics>")
    assert "could not be read" in results._repr_html_()


def test_printed_results_list_the_variants(wrk: bk.RunSet) -> None:
    lines = str(wrk).splitlines()
    assert lines[2:5] == [
        "Runs",
        "variant     measured runs  not compared  tool  benchmark  load                 each run",
        "apm                     8  8 warmup      wrk   /ping/GRM  closed loop  15.0 s to 15.1 s",
    ]
    assert len(lines) == 9


def test_notebook_shows_variants_and_findings(wrk: bk.RunSet) -> None:
    shown = wrk._repr_html_()
    assert "5 variants with 40 measured runs of wrk" in shown
    assert shown.count('<th scope="row"') == 5
    assert "B310" in shown
    assert "prefers-color-scheme: dark" in shown


def test_names_in_the_data_are_escaped(wrk: bk.RunSet) -> None:
    frame = wrk.observations.replace({"variant": {"otlp": HOSTILE}})
    shown = bk.RunSet(observations=frame, runs=bk.load(frame).runs)._repr_html_()
    assert HOSTILE not in shown
    assert "&lt;script&gt;" in shown


def test_many_variants_are_counted(wrk: bk.RunSet) -> None:
    one = wrk.where(variant="none").observations
    many = pd.concat([one.assign(variant=f"v{number}") for number in range(7)])
    assert "v0 8, v1 8, v2 8, v3 8, v4 8, … (7 in all)" in repr(bk.load(many))
    assert "Next: .compare(baseline=…)" in repr(bk.load(many))


def test_single_variant_suggests_no_comparison(wrk: bk.RunSet) -> None:
    assert "Next: .runs, .observations, .findings" in repr(wrk.where(variant="none"))


def test_comparison_displays_verdict_and_primary_rows(wrk: bk.RunSet) -> None:
    comparison = wrk.compare(baseline="none", variant="otlp")
    text = repr(comparison)
    assert text.startswith(comparison.verdict)
    assert "−13.1" in text
    assert "▲ fewer, by at least 3\N{NO-BREAK SPACE}%" in text
    assert "! B310" in text
    assert str(comparison) == text


def test_details_that_do_not_fit_the_verdict_follow_it() -> None:
    costs = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")
    assert costs.verdict.endswith("; CPU per request (/bench/server): see below.")
    first, second = str(costs).replace("\N{NO-BREAK SPACE}", " ").splitlines()[1:3]
    assert "more findings: see all in .findings; explain one with `benchkit explain" in str(costs)
    assert "more findings: see all in .findings" in costs._repr_html_()
    assert first.startswith("  apm, otlp, skywalking and zipkin vs. none · /ping/GRM · 8 runs")
    assert second.startswith("  ▲ zipkin uses 21.8 % more CPU per request (/bench/server)")
    assert "more CPU per request (/bench/server) than none" in costs._repr_html_()


def test_notebook_shows_findings_of_a_comparison(wrk: bk.RunSet) -> None:
    shown = wrk.compare(baseline="none")._repr_html_()
    assert "<li>! B310" in shown
    assert shown.count("<table>") == 1


def test_sweep_alone_shows_its_levels_only() -> None:
    swept = bk.load(FIXTURES / "nginx-ab/nginx").compare()
    assert "see below" not in swept.verdict
    assert swept.verdict.endswith(".")
    assert not swept.verdict.endswith("..")
    assert swept._repr_html_().count("<table>") == len(swept.parts["sweep"].tables)


def test_parts_of_a_comparison_display_as_line_or_table() -> None:
    costs = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")
    resources, fixed_rate = costs.parts["resources"], costs.parts["held"]
    assert repr(resources) == str(resources)
    assert repr(resources.tables[0]) == str(resources.tables[0])
    assert str(resources).startswith(resources.tables[0].title)
    assert resources._repr_html_().count("<table>") == len(resources.tables)
    assert repr(fixed_rate) == fixed_rate.missing
    assert repr(costs.findings).startswith("(<Finding warning B310 apm on /ping/GRM")
    assert repr(costs.plot).startswith("<Plots: .forest(), .percentiles(), ")
    shown = repr(bk.gate(costs, {}))
    assert shown.startswith("<GateResult: ✗")
    assert shown.endswith("exit code 1>")


def test_comparison_of_many_rows_is_short_in_a_shell(wrk: bk.RunSet) -> None:
    frame = wrk.where(variant=["none", "otlp"]).observations.query("metric == 'request_rate'")
    many = pd.concat([frame.assign(benchmark=f"/{number}") for number in range(43)])
    text = str(bk.load(many).compare(baseline="none"))
    assert "… and 3 more rows: see .frame" in text
    assert len(text.splitlines()) < 60


def test_finding_shows_its_remedy_without_markup() -> None:
    finding = Finding(code="B1", severity="warning", message=HOSTILE, remedy="look", where="a&b")
    assert finding._repr_html_() == (
        f"<p {NO_MATHS}><b>warning B1</b> a&amp;b: &lt;script&gt;alert(1)&lt;/script&gt;"
        "<br>→ look</p>"
    )


def test_finding_text_cannot_control_the_terminal() -> None:
    finding = Finding(code="B1", severity="info", message="a\x1b[2J", remedy="\x00", where="\u202e")
    for shown in (str(finding), repr(finding), finding._repr_html_()):
        assert "a\\x1b[2J" in shown
        assert shown.isprintable()


def test_names_start_no_pipeline_command_or_formula(wrk: bk.RunSet) -> None:
    name = "::error::$x$"
    frame = wrk.where(variant=["none", "otlp"]).observations.assign(benchmark=name)
    results = bk.load(frame)
    compared = results.compare(baseline="none")
    table = Table(name, (Column("a", name),), ((Cell(name),),), notes=(name,))
    assert name.replace("::", ":\u200b:", 1) in str(compared)
    for text in (str(results), str(compared), str(table)):
        assert not re.search(r"^\s*::", text, re.MULTILINE)
    for shown in (results, compared, table):
        html = shown._repr_html_()
        assert "tex2jax_ignore mathjax_ignore" in html
        assert html.rindex("$") < html.rindex("</div>")


def test_table_displays_itself() -> None:
    columns = (Column("name", "name"), Column("time", "time", "ms", "right"))
    rows = ((Cell(HOSTILE), Cell("1.5", 1.5, "▲", (1,))), (Cell("漢"), Cell("20")))
    table = Table("T", columns, rows, notes=("a < b",), caption="c", footer=("mean 2",))
    assert str(table).splitlines() == [
        "T",
        "c",
        "name                        time, ms",
        "<script>alert(1)</script>  ▲ 1.5 (1)",
        "漢                                20",
        "mean 2",
        "1  a < b",
    ]
    shown = table._repr_html_()
    assert '<td style="text-align: right">▲ 1.5<sup>1</sup></td>' in shown
    assert HOSTILE not in shown
    assert "<p>1  a &lt; b</p>" in shown


@pytest.mark.parametrize("form", ["md", "html", "json"])
def test_comparison_of_two_shows_no_other_variant(form: str) -> None:
    results = bk.load(FIXTURES / "tracing-wrk")
    comparison = results.compare(baseline="none", variant="otlp")
    assert set(comparison.runs.variant) == {"none", "otlp"}
    assert comparison.observations is not None
    assert set(comparison.observations.variant) == {"none", "otlp"}
    rendered = comparison.render(form)
    assert "otlp" in rendered
    assert [name for name in ("apm", "skywalking", "zipkin") if name in rendered] == []
    every = results.compare(baseline="none")
    assert set(every.runs.variant) == {"none", "otlp", "apm", "skywalking", "zipkin"}


def test_findings_about_other_variants_are_left_out(tmp_path: Path) -> None:
    for name in ("none", "otlp", "apm"):
        shutil.copytree(FIXTURES / "tracing-wrk" / name, tmp_path / name)
    for name in ("none", "apm"):
        shutil.copy(tmp_path / name / "wrk-1.txt", tmp_path / name / "wrk-9.txt")
    results = bk.load(tmp_path)
    findings = {v: results.compare(baseline="none", variant=v).findings for v in ("otlp", "apm")}
    copies = {v: [f.where for f in of if f.code == "B103"] for v, of in findings.items()}
    assert copies["otlp"] == [str(tmp_path / "none/wrk-9.txt")]
    assert len(copies["apm"]) == 2
