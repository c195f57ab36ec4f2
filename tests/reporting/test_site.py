"""The site of a history: numbers, links, hostile names, and a real browser."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import SCHEMES, Visit
from hostile import HOSTILE
from playwright.sync_api import Browser

from benchkit.errors import ConfigError
from benchkit.history.model import Change, History, Newest, Point, Series
from benchkit.reporting.site import write_site
from benchkit.tables.history import write_headline

START = datetime(2026, 10, 1, tzinfo=UTC)
LEVELS = [1.5e-8] * 8 + [1.75e-8] * 8
URL = "https://github.com/owner/name"


def commit(number: int) -> str:
    return f"{number:07d}abc"


def series(benchmark: str = "Ping", **more: Any) -> Series:  # noqa: ANN401 - fields of a series
    points = [
        Point(commit(n), START + timedelta(days=n), level, 3) for n, level in enumerate(LEVELS)
    ]
    points[4] = replace(points[4], value=float("nan"), runs=0)
    change = Change(commit(8), points[8].time, 1.17, 1.15, 1.19, 0.001, 8, "", 1.5e-8, 1.75e-8)
    made = Series(
        group="", benchmark=benchmark, params="", tool="gobench", subject="", metric="time_per_op",
        stat="sample", unit="s", better="lower", variant="base", machine="",
        points=tuple(points), changes=(change,),
        newest=Newest("outside", ratio=1.2, low=0.98, high=1.02, commits=8, qvalue=0.001),
        confidence=0.95,
    )  # fmt: skip
    return replace(made, **more)


HISTORIES = {
    "main": History((series(), series("Pong", changes=(), newest=Newest("no baseline"))), ()),
    "fix": History((series(machine="Xeon"),), (), branch="fix"),
}


def write(folder: Path, histories: dict[str, History], url: str = URL) -> Path:
    for name, text in write_site(histories, "Our benchmarks", url, "benchkit"):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "index.html"


def read_data(page: Path) -> list[dict[str, Any]]:
    match = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert match
    read: list[dict[str, Any]] = json.loads(match[1])
    return read


def test_pages_contain_the_numbers_of_the_history(tmp_path: Path) -> None:
    index = write(tmp_path, HISTORIES).read_text(encoding="utf-8")
    (page,) = tmp_path.glob("benchmarks/ping-*.html")
    main, fix = read_data(page)
    assert (main["branch"], fix["branch"], main["unit"]) == ("main", "fix", "ns")
    assert main["values"] == [15, 15, 15, 15, None, 15, 15, 15, *[17.5] * 8]
    assert main["runs"] == [0 if n == 4 else 3 for n in range(16)]
    (change,) = main["changes"]
    assert (change["at"], change["before"], change["after"], change["look"]) == (
        8, 15, 17.5, "worse",
    )  # fmt: skip
    link = f'<a href="{URL}/commit/{commit(8)}" rel="noreferrer">0000008</a> (9 Oct 2026): '
    assert link in index
    assert link in page.read_text(encoding="utf-8")
    assert write_headline(HISTORIES["main"]) in index
    commits = (tmp_path / "commits.js").read_text(encoding="utf-8")
    data = json.loads(commits.removeprefix("const benchkit = ").removesuffix(";\n"))
    assert data["branches"]["main"][0] == [commit(0), "2026-10-01 00:00"]
    assert data["pattern"] == f"{URL}/commit/{{commit}}"


@pytest.mark.parametrize("branch", ["\t::error::x", "\x1b[31m", "__proto__", "</script>"])
def test_branch_of_any_name_has_its_commits(branch: str, tmp_path: Path) -> None:
    write(tmp_path, {branch: History((series(),), (), branch=branch)})
    text = (tmp_path / "commits.js").read_text(encoding="utf-8")
    commits = json.loads(text.partition(" = ")[2].rstrip(";\n"))["branches"]
    (page,) = (tmp_path / "benchmarks").iterdir()
    (data,) = read_data(page)
    names = [name for name, _ in commits[data["branch"]]]
    assert names == [commit(number) for number in range(16)]


def test_address_of_commits_must_be_a_web_address(tmp_path: Path) -> None:
    for url in ("javascript:alert(1)", 'https://x/"><script>', "ftp://x"):
        with pytest.raises(ConfigError, match="is not a web address"):
            write(tmp_path, HISTORIES, url)
    index = write(tmp_path, HISTORIES, "https://git.example/c/{commit}/").read_text("utf-8")
    assert f'href="https://git.example/c/{commit(8)}"' in index


def test_hostile_names_execute_nothing(browser: Browser, tmp_path: Path) -> None:
    bad = [series(name, variant=name, machine=name, group=name) for name in HOSTILE]
    points = tuple(
        replace(point, commit=name) for point, name in zip(bad[0].points, HOSTILE, strict=False)
    )
    changes = (replace(bad[0].changes[0], commit=HOSTILE[0], reason=HOSTILE[0]),)
    bad[0] = replace(bad[0], points=points, changes=changes)
    other = History((series(),), (HOSTILE[0],), (HOSTILE[0],), branch=HOSTILE[0])
    index = write(tmp_path, {"main": History(tuple(bad), HOSTILE), HOSTILE[0]: other})
    with browser.new_context() as context:
        for path in (index, *(tmp_path / "benchmarks").iterdir()):
            assert "<script>alert" not in path.read_text(encoding="utf-8")
            visit = Visit(context, path)
            visit.page.locator("summary").first.click()
            assert visit.said == []
            links = visit.page.locator("a").evaluate_all("all => all.map(a => a.protocol)")
            assert set(links) <= {"file:", "https:"}


def test_site_opens_without_a_server_and_works_by_keyboard(
    browser: Browser, tmp_path: Path
) -> None:
    index = write(tmp_path, HISTORIES)
    for scheme in SCHEMES:
        with browser.new_context(color_scheme=scheme, viewport={"width": 400, "height": 800}) as at:
            visit = Visit(at, index)
            page = visit.page
            assert Axe().run(page, options={"preload": False}).violations_count == 0
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            status = page.get_by_role("status")
            assert status.inner_text() == "3 of 3 series"
            page.get_by_label("Name").fill("pong")
            assert status.inner_text() == "1 of 3 series"
            page.get_by_label("Name").fill("")
            page.get_by_label("Branch").select_option("fix")
            assert page.locator("tbody tr:visible").count() == 1
            page.locator("tbody tr:visible a").first.press("Enter")
            page.wait_for_url("**/benchmarks/ping-*")
            details = page.locator("details").first
            details.locator("summary").press("Enter")
            details.locator("tbody tr").first.wait_for(state="attached")
            assert details.locator("tbody tr").count() == len(LEVELS)
            violations = Axe().run(page, options={"preload": False})
            assert violations.violations_count == 0, violations.generate_report()
            slider = page.get_by_role("slider").first
            slider.focus()
            for key in ("Home", "ArrowRight"):
                page.keyboard.press(key)
            read = page.locator(".readout").first
            assert read.inner_text() == f"{commit(1)} · 2026-10-02 00:00 · 15 ns · 3 runs"
            assert read.locator("a").get_attribute("href") == f"{URL}/commit/{commit(1)}"
            assert slider.get_attribute("aria-valuetext") == read.inner_text()
            assert page.evaluate("document.documentElement.scrollWidth") <= 400
            page.set_viewport_size({"width": 1600, "height": 800})
            lefts = (page.locator(part).first.bounding_box() for part in ("h1", "footer p"))
            assert len({box["x"] for box in lefts if box}) == 1
            assert visit.said == []
            assert all(url.startswith(tmp_path.as_uri()) for url in visit.fetched)
