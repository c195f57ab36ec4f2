"""The site of the manual: lay out pages, notebooks and the API reference, and build them.

`nox -s docs` runs it. Sphinx with MyST reads the Markdown that `benchkit help` and the repository
show; Material for MkDocs does, too, but its maintenance ends in May 2027. A warning is an error.
"""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import benchkit
from benchkit import stats
from benchkit.manual import FOLDER, PURPOSES

ROOT = Path(__file__).resolve().parent.parent
#: Files of the repository that the pages link to, and their places in the site.
BESIDE = {
    ".github/CONTRIBUTING.md": "contributing.md",
    ".github/SECURITY.md": "security.md",
    ".github/report.png": "report.png",
    "LICENSE": "LICENSE",
}
_TREE = "```{{toctree}}\n{}\n```\n"


def lay_out(docs: Path) -> None:
    """Copy everything that the site shows into a folder."""
    shutil.copytree(FOLDER, docs, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    shutil.copytree(ROOT / "notebooks", docs / "notebooks")
    home = (ROOT / "README.md").read_text(encoding="utf-8").replace("benchkit/manual/", "")
    for source, target in BESIDE.items():
        shutil.copy(ROOT / source, docs / target)
        home = home.replace(f"({source})", f"({target})")
    for name in ("contributing.md", "security.md"):
        text = (docs / name).read_text(encoding="utf-8").replace("../benchkit/manual/", "")
        (docs / name).write_text(text, encoding="utf-8")
    sections = [write_section(docs / purpose, heading) for purpose, heading in PURPOSES.items()]
    sections += [write_section(docs / "notebooks", "Notebooks"), "contributing", "security"]
    tree = _TREE.format("\n".join([":hidden:", "", *sections]))
    (docs / "index.md").write_text(f"{home}\n{tree}", encoding="utf-8")
    with (docs / "reference" / "api.md").open("a", encoding="utf-8") as page:
        page.write("\n".join(["", "```{eval-rst}", *list_names(), "```", ""]))


def write_section(folder: Path, heading: str) -> str:
    """Write the page that lists a folder's pages; return its name in the navigation."""
    tree = _TREE.format("\n".join(sorted(path.stem for path in folder.iterdir())))
    (folder / "index.md").write_text(f"# {heading}\n\n{tree}", encoding="utf-8")
    return f"{folder.name}/index"


def list_names() -> Iterator[str]:
    """Yield a directive for each public name."""
    exported = [("benchkit", name) for name in benchkit.__all__ if name != "__version__"]
    for module, name in [*exported, *(("benchkit.stats", name) for name in stats.__all__)]:
        member = getattr(sys.modules[module], name)
        kind = "autoclass" if inspect.isclass(member) else "autofunction"
        yield f".. {kind}:: {module}.{name}"
        yield from ["   :members:"] if module == "benchkit" and kind == "autoclass" else []
        yield ""


def build(folder: Path) -> None:
    """Build the site below a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    lay_out(folder / "docs")
    sphinx = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"]
    places = [str(folder / "docs"), str(folder / "site")]
    subprocess.run([*sphinx, "-c", str(ROOT / ".build"), *places], check=True)  # noqa: S603
    if foreign := find_foreign(folder / "site"):
        raise SystemExit(f"the site loads from other hosts: {', '.join(sorted(foreign))}")


def find_foreign(site: Path) -> set[str]:
    """Return the addresses from which pages load scripts, styles or pictures."""
    loading = re.compile(r"<(?:script|img|link)\b[^>]*\b(?:src|href)=\"(https?://[^\"]+)\"")
    pages = (page.read_text(encoding="utf-8") for page in site.rglob("*.html"))
    return {address for text in pages for address in loading.findall(text)}


if __name__ == "__main__":
    build(Path(sys.argv[1]))
