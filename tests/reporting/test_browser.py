"""The page in a real browser: quiet, accessible, sortable, readable without its script.

Without Chromium these tests are skipped with a message; in CI (CI set) its absence is a failure.
"""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import SCHEMES, Visit
from hostile import hostile_report
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from playwright.sync_api import Browser, Page, ViewportSize

import benchkit as bk
from benchkit.reporting.formats import render

TESTS = Path(__file__).resolve().parents[1]
FIXTURES = TESTS.parent / "fixtures"
PICTURES = TESTS / "actual" / "report"
#: The picture of a report in the README; its text describes the content.
PICTURE = TESTS.parent / ".github" / "report.png"
SCREEN: ViewportSize = {"width": 1200, "height": 900}
PAPER: ViewportSize = {"width": 690, "height": 1000}  # A4 minus its margins
LAPTOP: ViewportSize = {"width": 1280, "height": 900}
PHONE: ViewportSize = {"width": 400, "height": 800}
WIDTH = "document.documentElement.scrollWidth"
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"
#: Tables that need scrolling.
BEYOND = """all => all.filter(e => e.getBoundingClientRect().right
    > document.querySelector("nav").getBoundingClientRect().right + 1).map(e => e.innerText)"""
SCROLLED = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.ariaLabel)"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    comparison = bk.load(FIXTURES / "tracing-wrk").compare(baseline="none")
    path.write_text(comparison.to_html(), encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", SCHEMES)
def test_page_is_quiet_self_contained_and_accessible(
    browser: Browser, report: Path, scheme: Literal["light", "dark"]
) -> None:
    with browser.new_context(color_scheme=scheme) as context:
        visit = Visit(context, report)
        for details in visit.page.locator("summary").all():
            details.click()
        violations = Axe().run(visit.page)
        assert violations.violations_count == 0, violations.generate_report()
        assert visit.said == []
        assert visit.fetched == [report.as_uri()]


def test_readme_picture_shows_the_current_verdict(
    browser: Browser, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    variants = ["otlp", "apm"]
    comparison = bk.load(FIXTURES / "tracing-wrk").compare(baseline="none", variant=variants)
    if request.config.getoption("--update"):
        path = tmp_path / "report.html"
        bk.report(comparison, path, title="What tracing costs")
        with browser.new_context(viewport={"width": 1100, "height": 880}) as context:
            shown = Image.open(BytesIO(Visit(context, path).page.screenshot()))
        notes = PngInfo()
        notes.add_itxt("verdict", comparison.verdict)
        shown.convert("RGB").quantize(48).save(PICTURE, optimize=True, pnginfo=notes)
    with Image.open(PICTURE) as picture:
        assert picture.info["verdict"] == comparison.verdict


def test_hostile_names_execute_nothing(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(hostile_report(), "html"), encoding="utf-8")
    with browser.new_context() as context:
        visit = Visit(context, path)
        visit.page.wait_for_timeout(200)
        assert visit.said == []
        assert visit.fetched == [path.as_uri()]


def column(page: Page, number: int) -> list[str]:
    cells = page.locator(f"#comparison table >> nth=0 >> tbody tr > :nth-child({number})")
    return cells.all_inner_texts()


def test_click_on_a_heading_sorts_by_number_not_text(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        heading = page.locator("#comparison table >> nth=0 >> th", has_text="change")
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") == "ascending"
        assert column(page, 1) == ["zipkin", "otlp", "skywalking", "apm"]
        page.keyboard.press("Enter")
        assert heading.get_attribute("aria-sort") == "descending"
        assert column(page, 1) == ["apm", "skywalking", "otlp", "zipkin"]


def test_wide_table_grows_with_the_window(browser: Browser, report: Path) -> None:
    with browser.new_context(viewport={"width": 2560, "height": 900}) as context:
        page = Visit(context, report).page
        page.locator("details").evaluate_all("all => all.forEach(one => one.open = true)")
        table = page.locator("#comparison table >> nth=0")
        table.evaluate("table => { table.style.width = '1800px' }")
        assert table.evaluate("table => table.parentElement.clientWidth") >= 1700
        assert page.evaluate(WIDTH) <= 2560


def test_captions_stay_visible_and_figures_show_scrolling_on_a_phone(
    browser: Browser, report: Path
) -> None:
    with browser.new_context(viewport={"width": 400, "height": 800}) as context:
        page = Visit(context, report).page
        caption = page.locator("#comparison caption >> nth=0")
        assert caption.evaluate("caption => caption.getBoundingClientRect().right") <= 400
        scroll = page.locator("#comparison .scroll >> nth=0")
        scroll.evaluate("scroll => { scroll.scrollLeft = 200 }")
        assert scroll.evaluate("scroll => scroll.scrollLeft") == 200
        assert caption.evaluate("caption => caption.getBoundingClientRect().left") >= 0
        hint = "caption => getComputedStyle(caption, '::before').content"
        assert "sideways" in page.locator("figcaption").first.evaluate(hint)
        assert page.evaluate(WIDTH) <= 400


def test_cells_without_a_number_are_sorted_last_in_both_directions(
    browser: Browser, report: Path
) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        table = page.locator("#comparison table >> nth=0")
        otlp = table.locator("tr", has_text="otlp").locator("td").nth(4)
        otlp.evaluate("cell => cell.removeAttribute('data-value')")
        table.locator("th", has_text="change").get_by_role("button").click()
        assert column(page, 1) == ["zipkin", "skywalking", "apm", "otlp"]
        page.keyboard.press("Enter")
        assert column(page, 1) == ["apm", "skywalking", "zipkin", "otlp"]


def test_filter_hides_and_counts_rows(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        page.locator("#comparison summary").first.click()
        page.locator("#comparison input[type=search]").first.fill("p99")
        rows = page.locator("#comparison details").first.locator("tbody tr:visible")
        assert rows.count() == 4
        assert all("p99" in text for text in rows.all_inner_texts())
        assert page.get_by_role("status").first.inner_text() == "4 of 24 rows"


def test_table_is_copied_as_markdown(browser: Browser, report: Path) -> None:
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        page = Visit(context, report).page
        page.locator("#comparison").get_by_role("button", name="Copy as Markdown").first.click()
        page.get_by_role("button", name="Copied").wait_for()
        lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].startswith("| variant | none, /s | spread | value, /s | spread | change |")
    assert lines[1].startswith("|:--|--:|:--|--:|:--|--:|")
    assert len(lines) == 6


def test_a_hostile_name_is_copied_as_a_name(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(render(hostile_report(), "html"), encoding="utf-8")
    with browser.new_context(permissions=["clipboard-read", "clipboard-write"]) as context:
        visit = Visit(context, path)
        visit.page.locator("#comparison").get_by_role("button", name="Copy as").first.click()
        visit.page.get_by_role("button", name="Copied").wait_for()
        copied = visit.page.evaluate("navigator.clipboard.readText()")
        visit.page.goto(f"{path.as_uri()}#%")
        assert visit.said == []
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in copied
    without_entities = re.sub(r"&#\d+;", "", copied)
    for mark in ("<", "@someone", "#1", "](", "a|b"):
        assert mark not in without_entities


def test_without_script_everything_can_be_read(browser: Browser, report: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = Visit(context, report).page
        assert page.locator("h1").inner_text().startswith("▲ zipkin serves 16.1")
        assert page.locator("button").count() == 0
        page.locator("#runs summary").first.click()
        assert page.locator("#runs table").first.is_visible()


def test_print_unfolds_sections_and_hides_controls(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        folded = page.locator("details:not([open])")
        assert folded.count() == page.locator("details.long").count()
        for summary in folded.locator("summary").all():
            assert summary.inner_text().endswith("rows): too long to print, see the page")
        shown = page.locator("details:not(.long) tbody").evaluate_all(
            "all => all.map(body => body.rows.length)"
        )
        assert max(shown) <= 40
        assert not page.locator("nav").is_visible()
        assert page.locator("#comparison table >> nth=0 >> .spread:visible").count() > 2
        assert page.locator(".tools:visible").count() == 0


#: Scenario -> its central content, and whether it has a figure over time.
SCENARIOS = {
    "tracing-costs": ("Overhead", True),
    "shorturl-k6": ("Overhead", False),
    "redis-gobench/pinned": ("Overhead", False),
    "skywalking-costs": ("Overhead", True),
    "nginx-ab/nginx": ("Load", False),
}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_each_scenario_in_light_dark_and_print(
    browser: Browser, scenario: str, tmp_path: Path
) -> None:
    """Keep the pictures under ``tests/actual/report``, since a person has to like them, too."""
    heart, has_time = SCENARIOS[scenario]
    path = tmp_path / "report.html"
    path.write_text(bk.load(FIXTURES / scenario).compare().to_html(), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    name = scenario.partition("/")[0]
    for scheme in SCHEMES:
        with browser.new_context(color_scheme=scheme, viewport=SCREEN) as context:
            visit = Visit(context, path)
            headings = visit.page.locator("h2").all_inner_texts()
            assert headings[0] == heart
            assert ("Over time" in headings) is has_time
            visit.page.screenshot(path=PICTURES / f"{name}-{scheme}.png", full_page=True)
            assert visit.page.evaluate(WIDTH) <= SCREEN["width"]
            assert visit.said == []
            visit.page.set_viewport_size(LAPTOP)
            visit.page.evaluate(OPEN)
            assert visit.page.locator(".scroll:has(> table)").evaluate_all(SCROLLED) == []
            assert visit.page.locator("table:visible").evaluate_all(BEYOND) == []
            visit.page.set_viewport_size(PHONE)
            bottom = "status => status.getBoundingClientRect().bottom + scrollY"
            assert visit.page.locator(".status").evaluate(bottom) <= PHONE["height"]
    with browser.new_context(viewport=PAPER) as context:
        page = Visit(context, path).page
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.screenshot(path=PICTURES / f"{name}-print.png", full_page=True)
        wide = page.locator("table:visible, svg:visible").evaluate_all(
            "all => all.filter(e => e.getBoundingClientRect().right > innerWidth + 1)"
            ".map(e => e.innerText ?? e.id)"
        )
        assert wide == []


def test_table_headings_repeat_on_every_printed_page(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        page.emulate_media(media="print")
        shown = page.locator("thead button").evaluate_all(
            "all => all.map(button => getComputedStyle(button).display)"
        )
        assert set(shown) == {"contents"}


@pytest.mark.parametrize("width", [320, 640])
def test_narrow_screen_scrolls_tables_and_never_the_page(
    browser: Browser, report: Path, width: int
) -> None:
    with browser.new_context(viewport={"width": width, "height": 640}) as context:
        page = Visit(context, report).page
        assert page.evaluate(WIDTH) <= width


def test_keyboard_reaches_everything_in_order_with_visible_focus(
    browser: Browser, report: Path
) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Skip to the verdict"
        page.keyboard.press("Tab")
        assert page.locator(":focus").inner_text() == "Overhead"
        outline = page.locator(":focus").evaluate("e => getComputedStyle(e).outlineStyle")
        assert outline == "solid"
        summary = page.locator("#comparison summary").first
        summary.focus()
        page.keyboard.press("Enter")
        assert page.locator("#comparison details").first.get_attribute("open") is not None


def test_every_section_and_figure_has_its_own_address(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        ids = page.locator("[id]").evaluate_all("all => all.map(e => e.id)")
        assert len(set(ids)) == len(ids)
        assert {"verdict", "overhead", "latency", "figure-forest", "figure-runs"} <= set(ids)
        links = page.locator("nav a").evaluate_all("all => all.map(e => e.hash.slice(1))")
        assert set(links) <= set(ids)
        assert links == page.locator("section").evaluate_all("all => all.map(e => e.id)")


def test_link_to_a_folded_section_opens_it(browser: Browser, report: Path) -> None:
    with browser.new_context() as context:
        page = Visit(context, report).page
        page.evaluate("location.hash = 'data'")
        page.locator("#data details[open]").wait_for()


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("body", "paper"),
    [
        ('data-jp-theme-light="true"', "rgb(255, 255, 255)"),
        ('data-jp-theme-light="false"', "rgb(15, 20, 25)"),
        ('class="vscode-light"', "rgb(255, 255, 255)"),
        ('class="vscode-dark"', "rgb(15, 20, 25)"),
        ("", ""),
    ],
    ids=["lab-light", "lab-dark", "code-light", "code-dark", "plain"],
)
def test_notebook_of_either_theme_is_readable_on_either_desktop(
    browser: Browser, tmp_path: Path, scheme: Literal["light", "dark"], body: str, paper: str
) -> None:
    results = bk.load(FIXTURES / "tracing-wrk")
    path = tmp_path / "cell.html"
    shown = results._repr_html_() + results.compare(baseline="none")._repr_html_()
    path.write_text(
        f'<!doctype html><html lang="en"><title>cell</title>'
        f"<body {body}><main>{shown}</main></body></html>",
        encoding="utf-8",
    )
    with browser.new_context(color_scheme=scheme) as context:
        page = Visit(context, path).page
        violations = Axe().run(page, options={"runOnly": ["color-contrast"]})
        assert violations.violations_count == 0, violations.generate_report()
        assert len(violations.response["passes"]) == 1
        colors = page.locator(".benchkit").evaluate_all(
            "all => all.map(one => getComputedStyle(one).backgroundColor)"
        )
    expected = paper or {"light": "rgb(255, 255, 255)", "dark": "rgb(15, 20, 25)"}[scheme]
    assert colors == [expected, expected]


def test_wide_table_fits_a_notebook_cell_with_text_left_aligned(
    browser: Browser, tmp_path: Path
) -> None:
    shown = bk.load(FIXTURES / "tracing-costs").compare(baseline="none")._repr_html_()
    lab = ":not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th) { text-align: right }"
    path = tmp_path / "cell.html"
    path.write_text(
        f'<!doctype html><title>cell</title><style>{lab}</style><body style="width: 900px">'
        f'<div class="jp-RenderedHTMLCommon">{shown}</div>',
        encoding="utf-8",
    )
    with browser.new_context(viewport=SCREEN) as context:
        page = Visit(context, path).page
        over = page.locator(".scroll").evaluate("one => one.scrollWidth - one.clientWidth")
        sides = page.locator("tbody tr:first-child > *:not(.spread)").evaluate_all(
            "all => all.map(one => getComputedStyle(one).textAlign)"
        )
    assert over <= 0
    assert sides == [*["left"] * 3, *["right"] * 3, "left", *["right"] * 2, "left"]


def test_long_name_does_not_push_numbers_off_the_page(browser: Browser, tmp_path: Path) -> None:
    frame = bk.load(FIXTURES / "tracing-wrk").observations
    named = frame.assign(variant=frame["variant"].where(frame["variant"] == "none", "x" * 200))
    path = tmp_path / "report.html"
    kept = named[frame["variant"].isin(["none", "otlp"])]
    path.write_text(bk.compare(kept, baseline="none").to_html(), encoding="utf-8")
    with browser.new_context(viewport=SCREEN) as context:
        page = Visit(context, path).page
        sizes = page.locator(".scroll:visible").evaluate_all(
            "all => all.map(e => [e.scrollWidth - e.clientWidth, e.innerText.slice(0, 40)])"
        )
        assert [text for more, text in sizes if more > 1] == []
        page.set_viewport_size(PAPER)
        page.emulate_media(media="print")
        assert page.evaluate(WIDTH) <= PAPER["width"]
