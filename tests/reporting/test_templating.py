"""User templates take precedence over packaged ones, and errors in them name the line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile import HOSTILE, hostile_report

from benchkit.errors import ConfigError
from benchkit.reporting.formats import render

PAGE = """\
{% extends "benchkit/page.html" %}
{% block footer %}
<p id="ours">Measured by {{ report.title }} in context {{ context_version }}</p>
{{ super() }}
{% endblock %}
"""
EXTENDED = PAGE.splitlines()[0]


def write(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_replaced_block_leaves_the_rest_unchanged(tmp_path: Path) -> None:
    text = render(hostile_report(), "html", write(tmp_path, "page.html", PAGE))
    assert "in context 2</p>" in text
    assert 'id="comparison"' in text
    assert HOSTILE[0] not in text


def test_single_part_can_be_replaced(tmp_path: Path) -> None:
    text = render(hostile_report(), "html", write(tmp_path, "page.css", "body { margin: 7rem }"))
    assert "margin: 7rem" in text
    assert ".findings li" not in text


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("<p>\n{% if %}\n", 2, "Expected an expression"),
        (f"{EXTENDED}\n{{% block footer %}}\n{{{{ report.owner }}}}{{% endblock %}}", 3, "'owner'"),
        ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", 1, "recursion"),
        ("\n\n{{ 1 / 0 }}", 3, "division by zero"),
        ("{{ report.title | shout }}", 1, "No filter named 'shout'"),
        ("\n{{ report.title.__class__.__mro__ }}", 2, "'__class__' of 'str' object is unsafe; "),
        (f"{EXTENDED}\n\n{{% block fotter %}}{{% endblock %}}", 3, "did you mean 'footer'?"),
        (f"{EXTENDED}\n{{% block colophon %}}{{% endblock %}}", 2, "existing blocks: footer"),
    ],
)  # fmt: skip
def test_template_error_names_its_line(tmp_path: Path, text: str, line: int, why: str) -> None:
    with pytest.raises(ConfigError) as refused:
        render(hostile_report(), "html", write(tmp_path, "page.html", text))
    assert str(refused.value).startswith(f"{tmp_path / 'page.html'}:{line}: ")
    assert why in str(refused.value)


def test_nested_block_and_standalone_page_may_be_new(tmp_path: Path) -> None:
    block = "{% block aside %}ours{% endblock %}"
    within = f"{EXTENDED}\n{{% block footer %}}{block}{{% endblock %}}"
    assert "ours" in render(hostile_report(), "html", write(tmp_path, "page.html", within))
    alone = tmp_path / "alone"
    alone.mkdir()
    assert render(hostile_report(), "html", write(alone, "page.html", block)) == "ours"


def test_block_is_searched_in_every_extended_template(tmp_path: Path) -> None:
    write(
        tmp_path,
        "team.html",
        f"{EXTENDED}\n{{% block footer %}}{{% block sign %}}{{% endblock %}}{{% endblock %}}",
    )
    mine = "{% extends 'team.html' %}\n{% block sign %}A. B.{% endblock %}"
    assert "A. B." in render(hostile_report(), "html", write(tmp_path, "page.html", mine))


def test_missing_include_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"page\.html:1: there is no template 'no-such\.html' "):
        render(
            hostile_report(), "html", write(tmp_path, "page.html", "{% include 'no-such.html' %}")
        )


def test_folder_without_templates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none of the report's templates"):
        render(hostile_report(), "html", tmp_path)
    with pytest.raises(ConfigError, match="no such folder"):
        render(hostile_report(), "html", tmp_path / "nowhere")


def test_other_formats_have_no_templates(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="md does not support templates"):
        render(hostile_report(), "md", tmp_path)
