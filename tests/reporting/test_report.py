"""The report in every format: goldens, hostile names, limits."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from examples import FINDINGS, gobench, published, tracing, tracing_runs
from hostile import HOSTILE, hostile_report

import benchkit as bk
from benchkit.errors import ConfigError
from benchkit.reporting.formats import FORMATS, render
from benchkit.reporting.markdown_text import escape
from benchkit.reporting.model import Report, build
from benchkit.reporting.templating import hash_script
from benchkit.reporting.to_html import to_fragment
from benchkit.reporting.to_json import KEYS, document, to_csv, to_json
from benchkit.reporting.to_markdown import MARKER, to_markdown

if TYPE_CHECKING:
    from conftest import Golden


def tracing_report() -> Report:
    return build(
        tracing(),
        tracing_runs(),
        FINDINGS,
        title="Tracing backends",
        command="benchkit report fixtures/tracing-wrk --baseline none",
        version="0.1.0",
    )


def test_markdown(golden: Golden) -> None:
    golden.check("report/tracing.md", to_markdown(tracing_report()))


def test_json(golden: Golden) -> None:
    golden.check("report/tracing.json", to_json(tracing(), FINDINGS))


def test_csv(golden: Golden) -> None:
    golden.check("report/tracing.csv", to_csv(tracing()))


def test_html(golden: Golden) -> None:
    """The page without its drawing, which changes with matplotlib and has a golden of its data."""
    text = re.sub(
        r"<svg.*?</svg>", "<svg></svg>", render(tracing_report(), "html"), flags=re.DOTALL
    )
    golden.check("report/tracing.html", text)


class Page(HTMLParser):
    """Collects the elements of a page and what they refer to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]


def test_page_requests_nothing_and_runs_only_its_own_script() -> None:
    text = render(tracing_report(), "html")
    page = Page(text)
    assert not {"link", "iframe", "img", "object"} & set(page.tags)
    assert page.tags.count("script") == 1
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    assert len(script.encode()) <= 4096
    assert f"script-src '{hash_script(script)}';" in text
    for name, value in page.attributes:
        assert not name.startswith("on")
        if name in {"href", "src", "xlink:href"}:
            assert value.startswith("#"), value
    assert ("content", "default-src 'none'") in [
        (n, v.partition(";")[0]) for n, v in page.attributes
    ]


def test_links_of_the_page_have_targets_and_ids_are_unique() -> None:
    page = Page(render(tracing_report(), "html"))
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value[1:] for name, value in page.attributes if name.endswith("href")}
    assert {"verdict", "overhead", "comparison", "runs", "findings", "method", "data"} <= links
    assert links <= set(ids)


def test_every_table_has_a_caption_and_scoped_headers() -> None:
    text = render(tracing_report(), "html")
    assert text.count("<table>") == text.count("<caption>") > 0
    assert "<th>" not in text


@pytest.mark.parametrize("name", FORMATS)
def test_hostile_names_have_no_effect(name: str) -> None:
    text = render(hostile_report(), name)
    text.encode()
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text.replace("\r\n", "\n"))
    if name == "html":
        tags = Page(text).tags
        assert (tags.count("script"), tags.count("img")) == (1, 0)
    if name == "md":
        assert "<script" not in text
        assert "<img" not in text
        assert "](" not in text
        assert not re.search(r"@\w", text)


def test_markdown_tables_keep_their_columns() -> None:
    lines = [line for line in to_markdown(hostile_report()).splitlines() if line.startswith("| ")]
    widths = {len(re.findall(r"(?<!\\)\|", line)) for line in lines[: len(HOSTILE) + 2]}
    assert len(widths) == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("request_rate", "request_rate"),
        ("_x_", "\\_x\\_"),
        ("a*b`c", "a\\*b\\`c"),
        ("# 1", "\\# 1"),
        ("+0.1 %", "+0.1 %"),
        ("see https://x.example", "see https&#58;//x.example"),
        ("::stop-commands::x", "&#58;:stop-commands::x"),
        ("a ##[error]x", "a &#35;#[error]x"),
        ("##vso[task.complete]x", "&#35;#vso[task.complete]x"),
        ("~~a~~ ~b~", "&#126;&#126;a&#126;~ &#126;b~"),
        ("$$a$$, $b$, $ ls", "&#36;&#36;a&#36;&#36;, &#36;b&#36;, $ ls"),
        ("x" * 500, "x" * 400 + "…"),
    ],
)
def test_markdown_escapes(text: str, shown: str) -> None:
    assert escape(text) == shown


def test_markdown_stays_below_its_limit_with_a_note() -> None:
    many = {f"Benchmark/{n:05}": ((1.0,), (1.5,)) for n in range(3000)}
    text = to_markdown(build(gobench(many), tracing_runs(), FINDINGS * 500))
    assert len(text.encode()) <= 60_000
    assert "Left out for length: Findings (" in text
    assert text.startswith(f"{MARKER}\n\n### ~ ")


def test_markdown_drops_the_longest_part_first_and_keeps_the_last_line() -> None:
    full = to_markdown(tracing_report())
    text = to_markdown(tracing_report(), limit=len(full.encode()) - 1)
    assert "Left out" not in full
    longest = max(re.findall(r"<details>.*?</details>", full, re.DOTALL), key=len)
    assert longest not in text
    (title,) = re.findall(r"<summary>(.*?)</summary>", longest)
    assert f"*Left out for length: {title}; the HTML page has everything.*" in text
    assert text.endswith(full[full.rindex("<sub>benchkit 0.1.0 · benchkit report") :])
    assert text.count("<details>") == full.count("<details>") - 1


def test_status_states_the_duration_of_compared_runs() -> None:
    runs = tracing_runs()
    assert "15.0 s each" in build(tracing(), runs).status
    alone = runs["variant"].eq("otlp")
    runs.loc[alone, "duration"] = 0.065
    verdicts = tracing()
    contrasts = tuple(c for c in verdicts.comparisons.contrasts if c.variant != "otlp")
    verdicts = replace(verdicts, comparisons=replace(verdicts.comparisons, contrasts=contrasts))
    assert "15.0 s each" in build(verdicts, runs).status


def test_long_table_shows_changed_rows_above_the_fold() -> None:
    sides = {f"B{n}": ((1.0,) * 8, (2.0 if n < 3 else 1.0,) * 8) for n in range(30)}
    text = to_markdown(build(gobench(sides)))
    above = text.partition("<details>")[0]
    assert above.count("▲ slower") == 3
    assert "no meaningful difference |" not in above
    assert "3 of 30 rows changed; all 30 below." in above


def test_unchanged_rows_are_folded() -> None:
    above = to_markdown(tracing_report()).partition("<details>")[0]
    assert above.count("▲ fewer") > 0
    assert "| ~ " not in above
    assert "= no meaningful difference |" not in above
    none = to_markdown(build(gobench({"B": ((1.0,) * 8, (1.0,) * 8)}))).partition("<details>")[0]
    assert "Primary metrics: no row changed; it is below." in none


def test_json_has_the_contract_keys() -> None:
    document = json.loads(to_json(tracing(), FINDINGS))
    assert list(document) == [
        "format_version",
        "pairs",
        "confidence",
        "margin",
        "rows",
        "findings",
        "only_in",
        "verdict",
    ]
    assert all(tuple(row) == KEYS for row in document["rows"])
    assert document["findings"][0]["numbers"] == {"in_flight": 9.9, "connections": 8}
    assert document["rows"][0]["center_baseline"] == 10531.175


def test_json_writes_unknown_numbers_as_null() -> None:
    row = document(published())["rows"][0]
    assert [row[key] for key in ("ratio_low", "ratio_high", "p", "p_adjusted")] == [None] * 4
    assert row["ratio"] == 19917.0 / 29018.83
    assert "NaN" not in to_json(published())


def test_json_keeps_names_unchanged() -> None:
    document = json.loads(to_json(hostile_report().verdicts))
    assert [pair[1] for pair in document["pairs"]] == list(HOSTILE)


def test_csv_cells_are_not_formulas_and_numbers_stay_numbers() -> None:
    rows = list(csv.DictReader(io.StringIO(to_csv(hostile_report().verdicts))))
    assert [row["variant"] for row in rows][3] == "'=1+1"
    assert all(float(row["delta"]) < 0 for row in rows)


def test_sections_without_data_are_named() -> None:
    report = build(published())
    assert [section.id for section in report.sections] == ["overhead", "comparison", "method"]
    method = report.sections[-1].text
    assert "No findings." in method
    assert any(line.startswith("No list of runs") for line in method)


def test_forest_of_many_rows_states_what_it_omits() -> None:
    many = gobench({f"B{n:02}": ((1.0,) * 4, (1 + n / 100,) * 4) for n in range(40)})
    (plot,) = next(s for s in build(many).sections if s.id == "overhead").plots
    assert plot.legend.endswith("24 of 40 rows, the largest changes; the table has all rows.")


def test_many_secondary_rows_are_two_tables_with_distinct_titles() -> None:
    results = bk.load(Path(__file__).parents[2] / "fixtures" / "shorturl-k6")
    (comparison,) = (
        s
        for s in build(results.compare(baseline="baseline").verdicts).sections
        if s.id == "comparison"
    )
    assert [table.title for table in comparison.folded] == [
        "Secondary metrics",
        "Secondary metrics by tag, phase or container",
    ]


def test_status_line() -> None:
    assert tracing_report().status.replace("\N{NO-BREAK SPACE}", " ") == (
        "otlp, zipkin, apm and skywalking vs. none · /ping/GRM · 8 runs per side · wrk "
        "· closed loop · connections=8, threads=2 · 15.0 s each · Xeon · date not recorded "
        "· margin 3 % · 1 finding needs attention"
    )


def test_notebook_fragment() -> None:
    text = to_fragment(tracing_report())
    assert "<html" not in text
    assert "zipkin serves" in text
    assert text.count("<table>") == 1


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ConfigError, match="pdf"):
        render(tracing_report(), "pdf")
