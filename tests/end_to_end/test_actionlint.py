"""The workflows of the project and of the manual, checked by actionlint (`nox -s workflows`)."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from documents import read_documents

ROOT = Path(__file__).resolve().parents[2]
LINTER = shutil.which("actionlint")

pytestmark = pytest.mark.skipif(LINTER is None, reason="actionlint is not on PATH")


def read_workflows() -> dict[str, str]:
    """Return each workflow by name; actions are taken from this checkout, so inputs are checked."""
    ours = (ROOT / ".github" / "workflows").glob("*.yml")
    texts = {path.name: path.read_text(encoding="utf-8") for path in ours}
    shown = re.findall(
        r"```yaml\n(# \.github/workflows/(\S+)\n.*?)```", read_documents(), re.DOTALL
    )
    assert len(shown) > 1
    texts |= {name: text for text, name in shown}
    remote = re.compile(r"uses: OWNER/benchkit/(\S+)@main")
    for action in remote.findall("\n".join(texts.values())):
        assert (ROOT / action / "action.yml").exists()  # actionlint does not mind
    return {name: remote.sub(r"uses: ./\1", text) for name, text in texts.items()}


def lint(folder: Path, workflows: dict[str, str]) -> subprocess.CompletedProcess[str]:
    (folder / ".git").mkdir()  # marks the folder as a project
    shutil.copytree(ROOT / ".github" / "actions", folder / ".github" / "actions")
    (folder / ".github" / "workflows").mkdir()
    for name, text in workflows.items():
        (folder / ".github" / "workflows" / name).write_text(text, encoding="utf-8")
    assert LINTER is not None
    command = [LINTER, "-no-color", "-shellcheck=", "-pyflakes="]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_workflows_have_no_errors(tmp_path: Path) -> None:
    done = lint(tmp_path, read_workflows())
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("baseline: base}", "baselin: base}", 'input "baselin" is not defined in action'),
        ("permissions:\n  contents: read", "permissions:\n  content: read", "unknown permission"),
        ("pull_request.base.sha", "pull_request.base.sha }", "unexpected"),
    ],
)
def test_error_is_detected(tmp_path: Path, right: str, wrong: str, fault: str) -> None:
    name = "benchmark.yml"
    text = read_workflows()[name]
    assert right in text
    done = lint(tmp_path, {name: text.replace(right, wrong)})
    assert done.returncode == 1
    assert fault in done.stdout, done.stdout
