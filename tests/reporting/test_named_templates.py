"""Templates of another package, installed with pip, are selected by a single name."""

from __future__ import annotations

from pathlib import Path

from plugged import install, run_benchkit

WRK = Path(__file__).resolve().parents[2] / "fixtures" / "tracing-wrk"
MODULE = (
    '"""The look of our reports."""\nfrom pathlib import Path\nFOLDER = Path(__file__).parent\n'
)
PAGE = (
    '{% extends "benchkit/page.html" %}\n'
    "{% block footer %}<p>Acme performance team</p>{{ super() }}{% endblock %}\n"
)


def install_templates(folder: Path, attribute: str) -> dict[str, str]:
    files = {"acme_look/__init__.py": MODULE, "acme_look/page.html": PAGE}
    return install(
        folder, "acme_look", f"[benchkit.templates]\nacme = acme_look:{attribute}\n", files
    )


def test_installed_templates_are_used(tmp_path: Path) -> None:
    environment = install_templates(tmp_path, "FOLDER")
    sides = [str(WRK / "none"), str(WRK / "otlp")]
    run_benchkit(tmp_path, environment, "report", *sides, "--template", "acme")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<p>Acme performance team</p>" in page
    (tmp_path / "acme").mkdir()  # the checkout of the package
    run_benchkit(tmp_path, environment, "report", *sides, "--template", "acme", "-o", "b.html")
    again = (tmp_path / "b.html").read_text(encoding="utf-8")
    assert "<p>Acme performance team</p>" in again


def test_plugin_without_a_path_is_named(tmp_path: Path) -> None:
    environment = install_templates(tmp_path, "Path")
    sides = [str(WRK / "none"), str(WRK / "otlp")]
    error = run_benchkit(tmp_path, environment, "report", *sides, "--template", "acme", code=2)
    assert "acme (acme_look:Path): does not contain the path of a folder" in error


def test_plugin_that_exits_the_interpreter_is_named(tmp_path: Path) -> None:
    files = {"acme_look/__init__.py": "import sys\nsys.exit(5)\n"}
    points = "[benchkit.templates]\nacme = acme_look:FOLDER\n"
    environment = install(tmp_path, "acme_look", points, files)
    sides = [str(WRK / "none"), str(WRK / "otlp")]
    error = run_benchkit(tmp_path, environment, "report", *sides, "--template", "acme", code=2)
    assert "template plug-in acme (acme_look:FOLDER): cannot be loaded: 5" in error
