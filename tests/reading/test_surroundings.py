"""The headings above a block are those that its author wrote, and no other text."""

from __future__ import annotations

import pytest

from benchkit.reading.surroundings import Above, Block, read_headings

LONG = f"With {'a profiler and ' * 7}two threads, GET"


def read(text: str, mark: str = "@", command: str = "") -> list[Above]:
    """Read the text above each line that is ``mark``."""
    lines = text.splitlines()
    places = [number for number, line in enumerate(lines, 1) if line.strip() == mark]
    return read_headings(lines, [Block(place, place, command) for place in places])


def headings(text: str) -> list[list[str]]:
    return [list(above.headings.values()) for above in read(text)]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("# GET", "GET"),
        ("## GET ##", "GET"),
        ("> ## GET\n> ", "GET"),
        ("> GET\n> ---", "GET"),
        ("#GET", "GET"),
        ("### `GET` [users](#users) **fast**", "GET users fast"),
        ("## apache + mod\\_php", "apache + mod_php"),
        ("**GET**", "GET"),
        ("__GET__:", "GET"),
        ("=== GET ===", "GET"),
        ("--- GET ---", "GET"),
        ("*** GET ***", "GET"),
        ("==> GET <==", "GET"),
        ("GET\n===", "GET"),
        ("GET\n---", "GET"),
        ("=====\n GET\n=====", "GET"),
        ("GET\n~~~~", "GET"),
        ('$ echo "=== GET ==="', "GET"),
        ("+ echo 'GET'", "GET"),
        ("<h2>GET</h2>", "GET"),
        ("<h2>GET&nbsp;&lt;id&gt; &amp; more</h2>", "GET <id> & more"),
        ("## GET /a?b&copy=1", "GET /a?b&copy=1"),
        ("<details><summary>GET</summary>", "GET"),
        ('</code></pre><h2 id="get">GET</h2>', "GET"),
        ('<h2>GET <a class="anchor" href="#get">#</a></h2>', "GET"),
        ('<h2>GET<a class="headerlink" href="#get">¶</a></h2>', "GET"),
        ('<body><div class="page"><h2>GET</h2>', "GET"),
        ("```\n=== GET ===\n```", "GET"),
        ("- #### GET\n  [docs](https://a/)", "GET"),
        ("2. ### GET", "GET"),
        ("// ## GET", "GET"),
        ("//! ## GET", "GET"),
        (f"## {LONG}", LONG),
        (f"{LONG}\n{'-' * len(LONG)}", LONG),
        ("The figures of GET.\n-------------------", "The figures of GET."),
    ],
)
def test_heading_is_recognised(line: str, name: str) -> None:
    assert headings(f"\n{line}\n\n@") == [[name]]


@pytest.mark.parametrize("fence", ["", "~~~~~~\n"])
def test_tildes_below_titles_open_no_fence(fence: str) -> None:
    pages = (f"{name}\n~~~~\n\n{fence}@\n{fence}" for name in ("GET", "POST", "PUT"))
    assert headings("\n".join(pages)) == [["GET"], ["POST"], ["PUT"]]


@pytest.mark.parametrize(
    "text",
    [
        "Prose that goes on",
        "**38342 req/sec**",
        "Prose that ends here.\n---",
        f"Prose that ends here.\n{'-' * 60}",
        f"# {LONG} {LONG}",
        "- #123 GET",
        "```sh\n# install it\n```",
        "- [GET](#get)\n  - [POST](#post)",
        "# HELP cpu_seconds_total Seconds\n# TYPE cpu_seconds_total counter",
        "#!/bin/sh",
        "---\ntitle: GET\n---",
        "| a | b |\n|---|---|",
        "=== RUN   BenchmarkGet",
        "--- BENCH: BenchmarkGet-8",
        "----------\n----------",
        "Benchmark       Time       CPU Iterations\n-----------------------------------------",
        'echo "GET http://a/" | vegeta attack -rate=5',
        "-----BEGIN CERTIFICATE",
        "~~~\n# in a fence\n~~~",
    ],
)
def test_other_text_is_not_a_heading(text: str) -> None:
    assert headings(f"{text}\n\n@") == [[]]


def test_heading_ends_the_headings_below_it() -> None:
    page = "# A\n## x\n@\n=== banner ===\n@\n## y\n@\n# B\n@"
    assert headings(page) == [["A", "x"], ["A", "x", "banner"], ["A", "y"], ["B"]]


def test_banner_of_another_listing_is_not_a_heading() -> None:
    listing = "---- Distribution ----\n> t < 800 ms  5 (100%)"
    assert headings(f"# GET\n```\n{listing}\n```\n\n```\n@\n```") == [["GET"]]


def test_lines_of_a_block_are_not_headings() -> None:
    lines = ["# A", "# Running 30s test", "# Requests/sec: 5", "", "wrk"]
    assert read_headings(lines, [Block(5, 5), Block(2, 3)]) == [Above({1: "A"}), Above({1: "A"})]


@pytest.mark.parametrize(
    ("text", "caption"),
    [
        ("Keep-alive:\n\n```\n@", "Keep-alive"),
        ("- Keep-alive\n```\n@", "Keep-alive"),
        ("```\n# Keep-alive\n$ wrk -c8 http://a/\n@", "Keep-alive"),
        ("- Keep-alive\n```\nlistening on port 80\n  stop with Ctrl+C\n@", "Keep-alive"),
        ("Pod: a-1\n@", "Pod: a-1"),
        ("Prose that goes on\n@", ""),
        ("Keep-alive:\n\nProse that goes on\n@", ""),
        ("# Keep-alive\n@", ""),
        ("Keep-alive::\n\n@", "Keep-alive"),
        ("Keep-alive:\n\n.. code-block:: console\n\n@", "Keep-alive"),
        (".. highlight:: sh\n\n@", ""),
    ],
)
def test_caption_of_a_block(text: str, caption: str) -> None:
    assert [above.caption for above in read(text, command="wrk -c8 http://a/")] == [caption]


def test_block_directly_below_another_gets_its_caption() -> None:
    assert [above.caption for above in read("Keep-alive:\n@\n\n@\nProse here\n@")] == [
        "Keep-alive",
        "Keep-alive",
        "",
    ]


def test_image_is_not_a_line_above_a_block() -> None:
    lines = ["nginx", '![alt text](a.svg "CPU")', "", "wrk"]
    assert read_headings(lines, [Block(4, 4)])[0].lines == ("nginx",)
