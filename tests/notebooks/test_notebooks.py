"""The notebooks run from top to bottom, and are committed without their outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def read(path: Path) -> Any:  # noqa: ANN401 - nbformat's nodes have no type
    return nbformat.read(path, nbformat.NO_CONVERT)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_committed_without_outputs(path: Path) -> None:
    code = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert code
    assert not any(cell.outputs or cell.execution_count for cell in code)


@pytest.mark.filterwarnings("ignore")  # Jupyter's own key
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path) -> None:
    notebook = read(path)
    client = NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": path.parent}}
    )
    client.execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any(output.output_type in {"display_data", "execute_result"} for output in shown)
    assert not [output for output in shown if output.output_type == "error"]
    assert not [output.text for output in shown if output.get("name") == "stderr"]
