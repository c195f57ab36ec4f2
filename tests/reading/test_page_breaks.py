"""Reports on a page are read without its line breaks, and despite missing brackets."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

import benchkit as bk

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
REPORTS = (
    "nginx-ab/nginx/ab-c1-1.txt",
    "bombardier-forms/text-latencies.txt",
    "criterion-text/none-1.txt",
    "fortio-forms/text.txt",
    "hyperfine/text-scan.txt",
    "wrk-edge/multi/wrk-3runs-prompt.txt",
    "skywalking-vegeta/edge/vegeta-text-overload.txt",
    "k6-edge/small/k6-small.txt",
    "oha/text-ms.txt",
    "autocannon/text-workers.txt",
)
#: Code block openings of page generators.
BLOCKS = (
    '<div class="highlight-console notranslate"><div class="highlight"><pre><span></span>',
    '<div class="language-text highlighter-rouge"><div class="highlight"><pre class="a"><code>',
    '<figure class="highlight"><pre><code class="language-bash" data-lang="bash">',
    "<table><tr><td><pre>",
)


@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("ending", ["<br>", " <br/> ", "<BR /> <br>"])
def test_html_line_breaks_are_not_part_of_a_report(
    report: str, ending: str, tmp_path: Path
) -> None:
    text = (FIXTURES / report).read_text(encoding="utf-8")
    plain, page = tmp_path / "plain.md", tmp_path / "page.md"
    plain.write_text(text, encoding="utf-8")
    page.write_text("".join(f"{line}{ending}\n" for line in text.splitlines()), encoding="utf-8")
    first, second = (bk.load(path).observations for path in (plain, page))
    columns = ["benchmark", "params", "run", "subject", "metric", "stat", "value", "unit"]
    assert len(first) > 0
    assert first[columns].equals(second[columns])


@pytest.mark.parametrize(
    ("text", "benchmarks"),
    [
        (
            (
                "<pre><code>Benchmark   Mode  Cnt       Score      Error  Units\n"
                "B.testA    thrpt    2  441449.126 ± 7609.787  ops/s\n"
                "B.testB    thrpt    2  41449.126 ± 7609.787  ops/s</code></pre>\n"
            ),
            ["B.testA", "B.testB"],
        ),
        (
            "<pre>SET: 13641.26 requests per second\nGET: 243546.03 requests per second</pre>\n",
            ["SET", "GET"],
        ),
        (
            (
                "<pre><code>BenchmarkA-4   1000   2100 ns/op\n"
                "BenchmarkB-4   1000   2200 ns/op</code></pre>\n"
            ),
            ["A", "B"],
        ),
    ],
)
@pytest.mark.parametrize("begin", ["", *BLOCKS])
def test_first_and_last_lines_of_a_code_block_are_read(
    text: str, benchmarks: list[str], begin: str, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    inner = re.sub(r"</?(?:pre|code)>", "", text).rstrip() if begin else text
    tags = re.findall(r"<(\w+)", begin.removesuffix("<span></span>"))
    page.write_text(begin + inner + "".join(f"</{tag}>" for tag in tags[::-1]) + "\n", "utf-8")
    loaded = bk.load(page)
    assert loaded.runs["benchmark"].tolist() == benchmarks
    assert not loaded.diagnostics


JMH = (
    "Benchmark  Mode  Cnt  Score  Units",
    "A.x  thrpt  9  320.9  ops/s",
    "A.y  thrpt  9  24.3  ops/s",
)


@pytest.mark.parametrize(
    "shape", ['<span class="go">{}</span>', '</span></span><span style="display:flex;"><span>{}']
)
def test_words_of_a_listing_may_be_highlighted(shape: str, tmp_path: Path) -> None:
    """Two rows of JMH used to be two runs of one benchmark named after a tag."""
    listing = "\n".join(map(shape.format, JMH))
    (tmp_path / "page.html").write_text(f"<pre><code>{listing}\n</code></pre>\n", "utf-8")
    loaded = bk.load(tmp_path / "page.html")
    assert loaded.runs["benchmark"].tolist() == ["A.x", "A.y"]
    assert not loaded.diagnostics


@pytest.mark.parametrize("ending", ["```", "\n```"])
def test_fence_may_end_after_the_last_row(ending: str, tmp_path: Path) -> None:
    """The last row of JMH used to be lost without a warning."""
    listing = "\n".join(JMH)
    (tmp_path / "page.md").write_text(f"```\n{listing}{ending}\n", "utf-8")
    loaded = bk.load(tmp_path / "page.md")
    assert loaded.runs["benchmark"].tolist() == ["A.x", "A.y"]


def test_wrk2_histogram_footer_may_lack_its_brackets(tmp_path: Path) -> None:
    text = (FIXTURES / "wrk-edge/synthetic-wrk2.txt").read_text(encoding="utf-8")
    assert "#[Mean" in text
    bare = re.sub(r"#\[(.*)\]", r"\1", text)
    for name, content in (("whole.md", text), ("bare.md", bare)):
        (tmp_path / name).write_text(content, encoding="utf-8")
    whole, page = (bk.load(tmp_path / name) for name in ("whole.md", "bare.md"))
    assert list(page.runs["role"]) == ["measured"]
    assert list(whole.observations["value"]) == list(page.observations["value"])


@pytest.mark.parametrize(
    "report",
    [
        "nginx-ab/nginx/ab-c1-1.txt",
        "bombardier-forms/text-latencies.txt",
        "hyperfine/text-scan.txt",
        "oha/text-ms.txt",
        "wrk-edge/multi/wrk-3runs-prompt.txt",
    ],
)
def test_comment_marks_are_not_part_of_a_report(report: str, tmp_path: Path) -> None:
    text = (FIXTURES / report).read_text(encoding="utf-8").strip()
    plain, page = tmp_path / "plain.md", tmp_path / "page.md"
    plain.write_text(f"{text}\n", encoding="utf-8")
    page.write_text(f"<!-- {text} -->\n", encoding="utf-8")
    first, second = (bk.load(path).observations for path in (plain, page))
    columns = ["benchmark", "params", "run", "subject", "metric", "stat", "value", "unit"]
    assert len(first) > 0
    assert first[columns].equals(second[columns])


def test_comment_may_begin_with_any_line_of_a_report(tmp_path: Path) -> None:
    text = (FIXTURES / "nginx-ab/nginx/ab-c1-1.txt").read_text(encoding="utf-8")
    part = text[text.index("Concurrency Level:") :].strip()
    page = tmp_path / "page.md"
    page.write_text(f"# nginx\n\n<!-- {part} -->\n", encoding="utf-8")
    loaded = bk.load(page)
    assert set(loaded.runs["params"]) == {"connections=1"}
    assert "max" in set(loaded.observations["stat"])


def test_entities_in_preformatted_text_are_decoded(tmp_path: Path) -> None:
    """An HTML page has blanks, quotes and ampersands as entities, in and above its reports."""
    text = (FIXTURES / "wrk-edge/multi/wrk-3runs-prompt.txt").read_text(encoding="utf-8")
    text = text.replace("Running", "$ wrk -t2 'http://h/a?b=1&c=2'\nRunning", 1)
    page = "".join(
        f"<h2>{name} &amp; more</h2>\n<pre>\n{html.escape(text).replace('  ', '&nbsp; ')}</pre>\n"
        for name in ("A", "B")
    )
    (tmp_path / "page.html").write_text(f"<html><body>\n{page}</body></html>\n", encoding="utf-8")
    (tmp_path / "page.md").write_text(f"# A & more\n{text}\n# B & more\n{text}", encoding="utf-8")
    first, second = (bk.load(tmp_path / name).runs for name in ("page.html", "page.md"))
    assert first["benchmark"].str.contains("A & more").any()
    for column in ("benchmark", "params", "run", "command"):
        assert first[column].tolist() == second[column].tolist()
