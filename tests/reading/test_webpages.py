"""Results on HTML pages whose files join lines, as generators of sites write them."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import pytest

import benchkit.api as bk
from benchkit.errors import DataError
from benchkit.reading.source import Source

HEADER = "goos: linux\ngoarch: amd64\npkg: example.org/router\n"
ROWS = (
    "BenchmarkStatic-8   2000000   {} ns/op   368 B/op   4 allocs/op\n"
    "BenchmarkParam-8    1000000   {} ns/op   431 B/op   9 allocs/op\n"
)
SIDES = {"go1.20": (612, 1045), "go1.21": (598, 1011)}
WRK = """Running 30s test @ http://localhost:8080/hello
  2 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     3.11ms    1.34ms  22.55ms   89.94%
    Req/Sec     5.21k   330.11     6.94k    71.43%
  623412 requests in 30.01s, 31.22MB read
Requests/sec:  {}
Transfer/sec:      1.04MB
"""
CSS = "<style>" + ".a{color:red}" * 6000 + "</style>"


def in_spans(text: str) -> str:
    """Write each line as VitePress does."""
    lines = html.escape(text).rstrip().split("\n")
    return "\n".join(f'<span class="line"><span>{line}</span></span>' for line in lines)


def in_breaks(text: str) -> str:
    """Write all lines as one, as Docusaurus does."""
    lines = html.escape(text).rstrip().split("\n")
    return "".join(f'<span class="token-line"><span>{line}</span><br></span>' for line in lines)


def in_numbered_lines(text: str) -> str:
    """Write line numbers as Sphinx and Hugo do."""
    lines = html.escape(text).rstrip().split("\n")
    return "\n".join(
        f'<span class="linenos">{at:3d}</span><span class="go">{line}</span>'
        for at, line in enumerate(lines, 1)
    )


def in_linked_lines(text: str) -> str:
    """Write links to lines as MkDocs does."""
    lines = html.escape(text).rstrip().split("\n")
    return "\n".join(f"<a id=__c-{at} href=#__c-{at}></a>{line}" for at, line in enumerate(lines))


def in_elements(text: str) -> str:
    """Write each line as an element, as Expressive Code does."""
    lines = html.escape(text).rstrip().split("\n")
    return "".join(f'<div class="l"><div class="code">{line}</div></div>' for line in lines)


LISTINGS: dict[str, Callable[[str], str]] = {
    "spans": in_spans,
    "breaks": in_breaks,
    "plain": html.escape,
    "numbered": in_numbered_lines,
    "linked": in_linked_lines,
    "elements": in_elements,
}


def write_page(texts: dict[str, str], listing: str, head: str = "") -> str:
    """Write listings under headings, without a line break between elements."""
    parts = "".join(
        f'<h2 id="{name}">{name}<a class="hash-link" href="#{name}">&#8203;</a></h2><div>'
        f'<pre class="shiki"><code>{LISTINGS[listing](text)}</code></pre></div>'
        for name, text in texts.items()
    )
    return f"<!doctype html><html><head><title>B</title>{head}</head><body>{parts}</body></html>\n"


@pytest.mark.parametrize("listing", LISTINGS)
@pytest.mark.parametrize("header", [HEADER, ""])
@pytest.mark.parametrize("head", ["", CSS])
def test_listings_under_headings_are_not_repeats(
    listing: str, header: str, head: str, tmp_path: Path
) -> None:
    texts = {name: header + ROWS.format(*values) for name, values in SIDES.items()}
    page = tmp_path / "page.html"
    page.write_text(write_page(texts, listing, head), encoding="utf-8")
    results = bk.load(str(page))
    times = results.observations.query("metric == 'time_per_op'")
    nanoseconds = (times["value"] * 1e9).round().astype(int)
    assert sorted(zip(times["benchmark"], times["run"], nanoseconds, strict=True)) == [
        ("go1.20 / Param", 1, 1045),
        ("go1.20 / Static", 1, 612),
        ("go1.21 / Param", 1, 1011),
        ("go1.21 / Static", 1, 598),
    ]
    assert (results.observations["metric"] == "allocs_per_op").sum() == 4


@pytest.mark.parametrize("listing", LISTINGS)
def test_reports_are_complete_and_named_by_their_headings(listing: str, tmp_path: Path) -> None:
    texts = {"Express": WRK.format("20771.31"), "Fastify": WRK.format("26110.07")}
    page = tmp_path / "page.html"
    page.write_text(write_page(texts, listing), encoding="utf-8")
    rates = bk.load(str(page)).observations.query("metric == 'request_rate' and stat == 'mean'")
    assert dict(zip(rates["benchmark"], rates["value"], strict=True)) == {
        "Express / /hello": 20771.31,
        "Fastify / /hello": 26110.07,
    }
    assert set(bk.load(str(page)).runs["role"]) == {"measured"}


def test_reports_in_cells_and_paragraphs_are_read_whole(tmp_path: Path) -> None:
    first, second = (WRK.format(rate) for rate in ("20771.31", "26110.07"))
    row = f"<td><pre>{first}</pre></td><td><pre>{second.replace('/hello', '/bye')}</pre></td>"
    table, text = tmp_path / "table.html", tmp_path / "text.html"
    table.write_text(f"<html><table><tr><th>A</th><th>B</th></tr><tr>{row}</tr></table></html>\n")
    paragraphs = [each.replace("\n", "<br/>") for each in (first, second)]
    text.write_text("<html><h3>A</h3><p>{}</p><h3>B</h3><p>{}</p></html>\n".format(*paragraphs))
    for page, names in (table, ["/hello", "/bye"]), (text, ["A / /hello", "B / /hello"]):
        rates = bk.load(str(page)).observations.query("metric == 'request_rate' and stat == 'mean'")
        assert rates["benchmark"].tolist() == names
        assert rates["value"].tolist() == [20771.31, 26110.07]


@pytest.mark.parametrize("between", ["", "\n"])
def test_a_copy_of_a_listing_in_a_tag_is_no_second_result(between: str, tmp_path: Path) -> None:
    parts = [
        f'<h2>{name}</h2>{between}<div class="snippet" data-content="{rows}">{between}'
        f"<pre><code>{rows}</code></pre></div>{between}"
        for name, values in SIDES.items()
        for rows in [html.escape(ROWS.format(*values).rstrip(), quote=True)]
    ]
    page = tmp_path / "page.html"
    page.write_text(f"<article>{''.join(parts)}</article>\n", encoding="utf-8-sig")
    runs = bk.load(str(page)).runs
    assert sorted(zip(runs["benchmark"], runs["run"], strict=True)) == [
        (f"{name} / {benchmark}", 1) for name in SIDES for benchmark in ("Param", "Static")
    ]


@pytest.mark.parametrize("tags", [("<p>", "</p>"), ("<blockquote><tt>", "</tt></blockquote>")])
@pytest.mark.parametrize("between", ["", "\n"])
def test_results_in_paragraphs_are_read_to_their_last_line(
    tags: tuple[str, str], between: str, tmp_path: Path
) -> None:
    parts = [
        f"<h2>{name}</h2>{between}{tags[0]}"
        + ROWS.format(*values).rstrip().replace("\n", "<br />\n")
        + f"{tags[1]}{between}"
        for name, values in SIDES.items()
    ]
    page = tmp_path / "page.html"
    page.write_text(f"<html><body>{''.join(parts)}</body></html>\n", encoding="utf-8")
    results = bk.load(str(page))
    names = zip(results.runs["benchmark"], results.runs["run"], strict=True)
    assert sorted(names) == [
        (f"{name} / {benchmark}", 1) for name in SIDES for benchmark in ("Param", "Static")
    ]
    assert (results.observations["metric"] == "allocs_per_op").sum() == 4


@pytest.mark.parametrize("opening", ["<pre><code>", '<div class="code"><pre class="x">'])
def test_line_breaks_written_as_entities_hide_no_line(opening: str, tmp_path: Path) -> None:
    report = "\n&#10;Concurrency Level:      100\nTime taken for tests:   6.000 seconds\n"
    report += "Complete requests:      1000\nFailed requests:        0\n"
    report += "Requests per second:    166.67 [#/sec] (mean)\n"
    page = tmp_path / "page.md"
    command = "ab -n 1000 -c 100 http://localhost:8086/"
    page.write_text(f"# Cache\n\n{opening}~ {command}{report}</code></pre>\n", encoding="utf-8")
    measured = bk.load(str(page)).runs.query("role == 'measured'")
    assert measured["params"].tolist() == ["connections=100"]


def test_a_page_with_lines_of_their_own_keeps_its_line_numbers(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    rows = ROWS.format("612", "twelve")
    page.write_text(f"<h2>gin</h2>\n<p>one</p><p>two</p>\n\n<pre>{rows}</pre>\n", encoding="utf-8")
    damaged = bk.load(str(page)).runs.query("role == 'damaged'")
    assert [remark.partition(": ")[0] for remark in damaged["remark"]] == [f"{page}:5"]
    assert not Source.load(page).is_joined


def test_markdown_below_joined_elements_keeps_its_lines(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    rows = "BenchmarkEscape/<pre>-8  100  49 ns/op\nBenchmarkEscape/<b>-8  100  twelve ns/op\n"
    page.write_text(f"<div><h1>Go 1.2</h1></div>\n\n## gin\n\n```\n{rows}```\n", encoding="utf-8")
    runs = bk.load(str(page)).runs
    assert runs.query("role == 'measured'")["benchmark"].tolist() == ["Escape/<pre>"]
    damaged = runs.query("role == 'damaged'")["remark"]
    assert [remark.partition(": ")[0] for remark in damaged] == [f"{page}:7"]


def test_attributes_of_xml_that_span_lines_hide_nothing(tmp_path: Path) -> None:
    sample = (
        '<httpSample t="{}" ts="16000000{}00000" s="true" lb="GET" rc="200" rm="OK\nand {}"/>\n'
    )
    samples = "".join(sample.format(at, at, at) for at in (11, 12, 13))
    results = tmp_path / "results.xml"
    results.write_text(
        f'<?xml version="1.0"?>\n<testResults version="1.2">\n{samples}</testResults>\n'
    )
    counts = bk.load(str(results)).observations.query("metric == 'requests'")["value"]
    assert counts.tolist() == [3]


@pytest.mark.parametrize("tags", [("<a href=1></a>", "<a href=2></a>"), ("<span>", "</span>")])
def test_tags_in_names_of_benchmarks_keep_them_apart(tags: tuple[str, str], tmp_path: Path) -> None:
    results = tmp_path / "results.csv"
    rows = "".join(
        f'"lint {tag} x",{at},0,{at},{at},0,{at},{at}\n' for at, tag in enumerate(tags, 1)
    )
    results.write_text(f"command,mean,stddev,median,user,system,min,max\n{rows}")
    assert bk.load(str(results)).runs["benchmark"].tolist() == [f"lint {tag} x" for tag in tags]


def test_xhtml_is_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    texts = {name: ROWS.format(*values) for name, values in SIDES.items()}
    declared = '<?xml version="1.0" encoding="utf-8"?>\n' + write_page(texts, "plain")
    page.write_text(declared, encoding="utf-8")
    assert set(bk.load(str(page)).runs["run"]) == {1}


def test_a_page_whose_lines_are_split_says_so(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(write_page({"gin": ROWS.format(612, 1045)}, "plain"), encoding="utf-8")
    problems = bk.load(str(page)).diagnostics
    assert [each.severity for each in problems] == ["note"]
    assert "joins lines" in problems[0].what


def test_the_error_for_a_page_without_results_is_about_these(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<html><h2>Load 1</h2><p>BenchmarkA-8 twelve ns/op</p></html>\n")
    with pytest.raises(DataError) as error:
        bk.load(str(page))
    assert "joins lines" not in str(error.value)
