"""Pages with several results get the names that a person would use, also from a store."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import benchkit as bk
from benchkit.ingestion.commit import ingest
from benchkit.store import Store

if TYPE_CHECKING:
    from benchkit.schema import Runs

PAGES = Path(__file__).resolve().parents[2] / "fixtures" / "pages"

#: variant, benchmark, the params that distinguish it, runs (and the role if not measured)
EXPECTED = {
    "frameworks.md": [
        ("frameworks", "Alpha / GET / /users", "", 1),
        ("frameworks", "Alpha / POST / /users", "", 1),
        ("frameworks", "Beta / GET / /users", "", 1),
        ("frameworks", "Beta / POST / /users", "", 1),
    ],
    "tracing.md": [("Baseline", "/", "", 2), ("With tracing", "/", "", 2)],
    "script.txt": [("script", f"{name} / /a", "", 1) for name in ("nginx", "caddy", "haproxy")],
    "shells.txt": [("shells", "/", "", 2), ("shells", "/", "command=-H Accept: text/html", 1)],
    "servers.md": [
        ("servers", "/index.html", "server=nginx/1.24.0", 2),
        ("servers", "/index.html", "server=Apache/2.4.58", 1),
    ],
    "lengths.txt": [("lengths", "/", "duration=6", 2), ("lengths", "/", "duration=60", 1)],
    "captions.md": [
        ("captions", "Keep-alive / /", "", 1),
        ("captions", "Connection closed / /", "", 1),
    ],
    "go.md": [("go", "Before / Encode", "", 2), ("go", "After / Encode", "", 2)],
    "guide.rst": [("guide", "Small bodies / /", "", 1), ("guide", "Large bodies / /", "", 1)],
}
#: Params that are always present.
LEVELS = ("connections=", "threads=", "gomaxprocs=")


def list_tests(runs: Runs) -> list[tuple[str, str, str, int]]:
    measured = runs[runs["role"] == "measured"]
    keys = zip(measured["variant"], measured["benchmark"], measured["params"], strict=True)
    counts = Counter(keys)
    return [
        (variant, name, _drop_levels(params), count)
        for (variant, name, params), count in counts.items()
    ]


def _drop_levels(params: str) -> str:
    return ",".join(part for part in params.split(",") if not part.startswith(LEVELS))


@pytest.mark.parametrize("name", EXPECTED)
def test_page_gives_the_names_a_person_would_use(name: str) -> None:
    assert list_tests(bk.load(PAGES / name).runs) == EXPECTED[name]


@pytest.mark.parametrize("name", ["frameworks.md", "tracing.md", "lengths.txt"])
def test_store_gives_the_same_names(name: str, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest([str(PAGES / name)], store)
    ingest([str(PAGES / "script.txt")], store)
    runs = bk.load(tmp_path / "store").runs
    assert list_tests(runs[runs["variant"] != "script"]) == EXPECTED[name]


def test_tests_measured_once_are_not_runs_of_one_variant() -> None:
    loaded = bk.load(PAGES / "frameworks.md")
    assert loaded.runs["run"].max() == 1


def test_variant_option_leaves_headings_in_the_benchmark() -> None:
    runs = bk.load(PAGES / "tracing.md", variant="now").runs
    assert set(runs["benchmark"]) == {"Baseline / /", "With tracing / /"}


@pytest.mark.parametrize(
    ("name", "reason"), [("lengths.txt", "length"), ("captions.md", "the surrounding text")]
)
def test_finding_explains_why_unnamed_blocks_are_distinct(name: str, reason: str) -> None:
    findings = bk.load(PAGES / name).findings.set_index("code")
    assert f"they differ in {reason}" in str(findings.loc["B109", "message"])
    assert str(findings.loc["B109", "where"]).endswith(name)


@pytest.mark.parametrize("name", ["frameworks.md", "script.txt", "shells.txt", "servers.md"])
def test_named_blocks_need_no_finding(name: str) -> None:
    assert "B109" not in set(bk.load(PAGES / name).findings["code"])


def test_headings_separate_results_in_columns(tmp_path: Path) -> None:
    lines = "".join(f"BenchmarkX-4 \t{n}\t{n} ns/op\n" for n in range(1000, 4000))
    page = tmp_path / "bench.md"
    page.write_text(f"# old\n{lines}# new\n{lines}", encoding="utf-8")
    assert list_tests(bk.load(page).runs) == [
        ("bench", "old / X", "", 3000),
        ("bench", "new / X", "", 3000),
    ]


def test_page_of_tests_measured_once_gives_no_verdict(tmp_path: Path) -> None:
    page = (PAGES / "frameworks.md").read_text(encoding="utf-8")
    (tmp_path / "main.md").write_text(page, encoding="utf-8")
    (tmp_path / "pr.md").write_text(
        page.replace("Requests/sec:  ", "Requests/sec:  1"), encoding="utf-8"
    )
    rows = (
        bk.load(str(tmp_path / "main.md"), str(tmp_path / "pr.md")).compare(baseline="main").frame
    )
    rate = rows[rows["metric"] == "request_rate"]
    assert len(rate) == 4
    assert set(rate["n_baseline"]) == {1}
    assert rate["p"].isna().all()


#: User-defined documents with k6 summaries (``@``), and their names.
DOCUMENTS = [
    ({"k6": "@"}, [("now", "", 1)]),
    ({"none": "@", "otlp": "@"}, [("none", "", 1), ("otlp", "", 1)]),
    (["@", "@", "@"], [("now", "", 3)]),
    ([{"run 1": "@", "run 2": "@"}], [("now", "", 2)]),
    ({"none": ["@", "@"], "otlp": ["@", "@"]}, [("none", "", 2), ("otlp", "", 2)]),
    ({"list": "@", "create": "@"}, [("now", "list", 1), ("now", "create", 1)]),
    (
        {"list": {"none": "@", "otlp": "@"}, "get": {"none": "@", "otlp": "@"}},
        [("none", "list", 1), ("otlp", "list", 1), ("none", "get", 1), ("otlp", "get", 1)],
    ),
]


@pytest.mark.parametrize(("document", "expected"), DOCUMENTS)
def test_keys_above_summaries_label_them_like_headings(
    document: object, expected: list[tuple[str, str, int]], tmp_path: Path
) -> None:
    summary = PAGES.parent / "k6-edge" / "tiny" / "k6-export-1.json"
    text = json.dumps(document).replace('"@"', summary.read_text())
    (tmp_path / "now.json").write_text(text)
    labels = [
        (variant, name, count)
        for variant, name, _, count in list_tests(bk.load(tmp_path / "now.json").runs)
    ]
    assert labels == expected
