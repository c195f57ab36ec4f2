"""A template reads plain data, within limits of memory and time, and can do nothing else."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hostile import hostile_report

from benchkit.errors import ConfigError
from benchkit.reporting import rendering
from benchkit.reporting.page import Page, draw_page

SECONDS = 1
GROWING = "{% set ns = namespace(x='xxxxxxxx') %}{% for i in range(40) %}"
ATTACKS = {
    "center": "{{ 'x'|center(9000000000) }}",
    "ljust": "{{ 'x'.ljust(9000000000) }}",
    "zfill": "{{ 'x'.zfill(9000000000) }}",
    "%": "{{ '%9000000000d' % 1 }}",
    "format": "{{ '{:>9000000000}'.format(1) }}",
    "doubled text": GROWING + "{% set ns.x = ns.x ~ ns.x %}{% endfor %}",
    "doubled list": GROWING.replace("'xxxxxxxx'", "[1]")
    + "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "doubled by join": GROWING + "{% set ns.x = [ns.x, ns.x]|join %}{% endfor %}",
    "replace": "{{ ('x' * 9000000).replace('x', 'y' * 900)|length }}",
    "*": "{{ 'x' * 9000000000 }}",
    "* of a list": "{{ ([0] * 9000000000)|length }}",
    "**": "{{ (10 ** 10000) ** 100000 }}",
    "** at once": "{{ 10 ** 100000000 }}",
    "indent": "{{ ('\\n' * 90000)|indent(90000, blank=True) }}",
    "slice": "{{ [1]|slice(9000000000)|list }}",
    "lipsum": "{{ lipsum(n=9000000) }}",
    "nested ranges": "{% for i in range(90000) %}{% for j in range(90000) %}"
    "{% endfor %}{% endfor %}",
    "much text": "{% for i in range(90000) %}{{ 'abcdefghij' * 9000 }}{% endfor %}",
    "endless macro": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
}


@pytest.fixture(scope="module")
def page() -> Page:
    return draw_page(hostile_report())


@pytest.fixture
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_SECONDS", SECONDS)


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.usefixtures("_quick")
def test_template_beyond_its_limits_is_an_error_with_its_line(
    tmp_path: Path, page: Page, text: str
) -> None:
    path = tmp_path / "page.html"
    path.write_text(f"\n{text}", encoding="utf-8")
    with pytest.raises(ConfigError) as refused:
        rendering.render_apart("page.html", page, tmp_path)
    assert refused.value.where.startswith(f"{path}")
    is_ended = any(word in refused.value.what for word in ("takes more", "writes more", "digits"))
    assert refused.value.where == f"{path}:2" or is_ended
    assert any(word in refused.value.what for word in ("MiB", "takes more", "recursion", "digits"))


def test_pipe_among_the_templates_is_skipped(tmp_path: Path, page: Page) -> None:
    (tmp_path / "page.html").write_text("{% include 'style.css' %}", encoding="utf-8")
    for name in ("other.html", "style.css"):
        os.mkfifo(tmp_path / name)
    assert "font" in rendering.render_apart("page.html", page, tmp_path)


@pytest.mark.parametrize("name", ["section.html", "notes.txt"])
def test_link_out_of_the_folder_is_refused(tmp_path: Path, page: Page, name: str) -> None:
    folder, secret = tmp_path / "look", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("S3cr3t", encoding="utf-8")
    (folder / "page.html").write_text(f"{{% include '{name}' %}}", encoding="utf-8")
    (folder / name).symlink_to(secret)
    with pytest.raises(ConfigError, match="a link to outside its folder") as refused:
        rendering.render_apart("page.html", page, folder)
    assert refused.value.where == str(folder / name)


def test_link_within_the_folder_is_followed(tmp_path: Path, page: Page) -> None:
    folder, named = tmp_path / "look", tmp_path / "named"
    folder.mkdir()
    named.symlink_to(folder)
    (folder / "part.txt").write_text("a part", encoding="utf-8")
    (folder / "other.txt").symlink_to("part.txt")
    (folder / "page.html").write_text("{% include 'other.txt' %}", encoding="utf-8")
    assert rendering.render_apart("page.html", page, named) == "a part"


def test_page_data_has_no_callables(page: Page) -> None:
    assert len(list(walk(page))) > 1000
    for each in walk(page):
        public = [name for name in dir(each) if not name.startswith("_")]
        is_plain = type(each).__module__ == "builtins" or isinstance(each, float)
        assert is_plain or not any(callable(getattr(each, name)) for name in public), each
    assert isinstance(pickle.loads(pickle.dumps(page)), Page)  # noqa: S301 - our own


def walk(value: object) -> Iterator[object]:
    """Yield a value and everything reachable from it."""
    yield value
    inner: list[object] = []
    if is_dataclass(value):
        inner = [getattr(value, field.name) for field in fields(value)]
    elif isinstance(value, Mapping):
        inner = [*value, *value.values()]
    elif isinstance(value, tuple):
        inner = list(value)
    for each in inner:
        yield from walk(each)


def test_rendering_process_cannot_write_files(tmp_path: Path) -> None:
    script = (
        "from benchkit.reporting.rendering import _limit\n_limit(1 << 30, 9)\n"
        f"with open({str(tmp_path / 'x')!r}, 'w') as file:\n    file.write('x')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert b"File too large" in done.stderr
    assert (tmp_path / "x").read_bytes() == b""


def test_slow_start_does_not_count_against_the_time_limit(tmp_path: Path, page: Page) -> None:
    (tmp_path / "page.html").write_text("{{ 6 * 7 }}", encoding="utf-8")
    script = (
        "import sys, time\nfrom benchkit.reporting import rendering\n"
        "while time.process_time() < 2: pass\nsys.exit(rendering.main())"
    )
    request = pickle.dumps(("page.html", page, tmp_path, (1 << 30, 1, 1 << 20)))
    done = subprocess.run(
        [sys.executable, "-c", script], input=request, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, b"42"), done.stderr


def test_template_is_rendered_under_a_smaller_shell_limit(tmp_path: Path, page: Page) -> None:
    request = pickle.dumps(("page.html", page, tmp_path, (1 << 30, 60, 1 << 20)))
    printed = []
    loop = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}"
    for template in ("{{ 6 * 7 }}", loop):
        (tmp_path / "page.html").write_text(template, encoding="utf-8")
        done = subprocess.run(
            [
                "/bin/sh",
                "-c",
                f"ulimit -t 4; exec {sys.executable} -m benchkit.reporting.rendering",
            ],
            input=request,
            capture_output=True,
            check=False,
        )
        printed.append(done.stdout)
        assert b"Traceback" not in done.stderr
    assert printed[0] == b"42"
    assert b"the template takes more than" in printed[1]
    assert b"60 s" not in printed[1]
