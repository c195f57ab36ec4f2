"""A caption is above or below its result, depending on the habit of its page."""

from __future__ import annotations

import pytest

from benchkit.reading.captions import place_captions
from benchkit.reading.surroundings import Block, read_headings

FENCE = "```\n@\n```"


def name_all(text: str) -> list[str]:
    """Return for each line ``@`` the bold line or the paragraph that names it."""
    lines = text.splitlines()
    blocks = [Block(number, number) for number, line in enumerate(lines, 1) if line == "@"]
    page = place_captions(lines, blocks, lambda line: bool(line.strip("run 0123456789")))
    around = read_headings(page.lines, [page.move(block) for block in blocks])
    return [above.headings.get(30) or ", ".join(above.lines) for above in around]


def write_below(*captions: str, intro: str = "") -> str:
    return f"# Results\n\n{intro}\n\n" + "".join(f"{FENCE}\n\n{each}\n\n" for each in captions)


@pytest.mark.parametrize(
    "shape",
    [
        "Figure {at}: {name}",
        "**{name}**",
        "<b>{name}</b>",
        "*{name}*",
        "<figcaption>{name}</figcaption>",
        "These are the numbers {name}.",
        "{name}",
    ],
)
def test_captions_below_results_name_them(shape: str) -> None:
    captions = [shape.format(at=at, name=name) for at, name in ((1, "GET"), (2, "PUT"))]
    names = name_all(write_below(*captions))
    assert ["GET" in names[0], "PUT" in names[1]] == [True, True]


@pytest.mark.parametrize("shape", ["Figure {at}: {name}", "**{name}**", "*{name}*"])
def test_uniform_captions_below_are_used_despite_prose_above(shape: str) -> None:
    captions = [shape.format(at=at, name=name) for at, name in ((1, "GET"), (2, "PUT"))]
    names = name_all(write_below(*captions, intro="This is what I saw."))
    assert ["GET" in names[0], "PUT" in names[1]] == [True, True]


def test_last_result_without_a_caption_does_not_get_that_of_another() -> None:
    text = f"{FENCE}\nGET\n\n{FENCE}\nPUT\n\n{FENCE}\n"
    assert name_all(text) == ["GET", "PUT", "result 3"]


def test_caption_below_several_results_names_all_of_them() -> None:
    text = "```\n@\n\n@\n```\n*GET*\n\n```\n@\n\n@\n```\n*PUT*\n"
    assert name_all(text) == ["GET", "GET", "PUT", "PUT"]


@pytest.mark.parametrize(
    "text",
    [
        f"GET\n\n{FENCE}\n\nPUT\n\n{FENCE}\n",
        f"GET\n\n{FENCE}\n\nPUT\n\n{FENCE}\n\nPUT is slower.\n",
        f"**GET**\n\n{FENCE}\n\n**PUT**\n\n{FENCE}\n\nPUT is slower.\n",
        f"GET:\n\n{FENCE}\n\nPUT:\n\n{FENCE}\n\nPUT is slower:\n",
        "GET\n@\n\nPUT\n@\n\nDone\n",
        "```\n$ GET\n@\n$ PUT\n@\n```\n",
        f"GET\n\n{FENCE}\n---\nPUT\n\n{FENCE}\n\n**Next**\n",
        "```\nGET\n@\n```\n\n```\nPUT\n@\n```\n\nDone.\n",
    ],
)
def test_captions_above_results_keep_naming_them(text: str) -> None:
    assert [name.strip("$ ") for name in name_all(text)] == ["GET", "PUT"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{FENCE}\n\n**GET**\n\n{FENCE}\n", ["", "result 2"]),
        (f"{FENCE}\n\nWith tracing\n\n{FENCE}\n\nSo it costs.\n", ["", "result 2"]),
        (f"One\n\n{FENCE}\n\nTwo\n\n{FENCE}\n\nThree\n", ["result 1", "result 2"]),
    ],
)
def test_text_that_may_name_either_result_names_none(text: str, names: list[str]) -> None:
    assert name_all(text) == names


def test_line_that_introduces_the_next_section_is_not_a_caption_below() -> None:
    pair = f"GET\n\n{FENCE}\n\nPUT\n\n{FENCE}\n\n"
    assert name_all(f"small:\n\n{pair}large:\n\n{pair}") == ["GET", "PUT", "GET", "PUT"]


def test_options_of_a_command_belong_to_the_result_below() -> None:
    names = name_all(f"{FENCE}\nrun `ab -c 5`\n\n{FENCE}\nrun `ab -c 10`\n\n{FENCE}\n")
    assert names == ["", "run ab -c 5", "run ab -c 10"]


def test_run_counts_between_results_belong_to_the_result_below() -> None:
    assert name_all(f"{FENCE}\n\nrun 2\n\n{FENCE}\n\nrun 3\n\n{FENCE}\n") == ["", "run 2", "run 3"]


def test_headings_separate_results_with_captions_below() -> None:
    text = f"# GET\n\n{FENCE}\n\nFigure 1\n\n# PUT\n\n{FENCE}\n\nFigure 2\n"
    assert name_all(text) == ["", ""]


def test_bold_lines_above_all_results_name_them_though_text_follows_the_last_one() -> None:
    first = f"**v1**\n\n{FENCE}\n\n**v2** (slow)\n\n{FENCE}\n\n"
    text = f"{first}**v3**\n\nIt is a tenth faster.\n\n{FENCE}\n"
    assert name_all(text) == ["v1", "v2 (slow)", "v3"]
    assert name_all(f"{first}**v3**\n") == ["result 1", "result 2"]
