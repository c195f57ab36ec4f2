"""The grade comes first, then sources of noise with remedies, then unrecorded checks."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import visit

from benchkit.cli.doctor import write_examination

STEADY = (1.0, 1.01, 0.99, 1.005, 0.995) * 4


def write_texts(root: Path, name: str, blocks: tuple[float, ...] = STEADY) -> list[str]:
    texts = write_examination(visit(root, name, blocks))
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def test_quiet_machine(tmp_path: Path) -> None:
    grade, quiet = write_texts(tmp_path, "quiet bare metal")
    assert grade == (
        "Grade B: spread 0.7 % between runs of 1.0 s; "
        "at best, 8 runs per side detect a change of about 1.1 %"
    )
    assert quiet.startswith("Quiet: other load (other programs use 0.0 of 4 CPUs; load")
    assert "clock source (tsc)" in quiet


def test_noisy_machine_gets_a_remedy(tmp_path: Path) -> None:
    _, noisy, _ = write_texts(tmp_path, "laptop")
    lines = noisy.splitlines()
    assert lines[0] == "Sources of noise:"
    at = lines.index("  frequency governor: powersave, performance")
    assert lines[at + 1] == "    → set it: sudo cpupower frequency-set --governor performance"


def test_machine_without_files(tmp_path: Path) -> None:
    texts = write_texts(tmp_path, "no file at all", ())
    assert texts[0].startswith("No timing: pass --seconds 20")
    assert texts[1].startswith("Not recorded here: other load, frequency governor, turbo")
    assert len(texts) == 2


@pytest.mark.parametrize(
    ("blocks", "statement"),
    [
        ((1.0, 3.0) * 10, "8 runs per side detect only changes of "),
        ((1.0, 20.0) * 10, "too noisy to compare 8 runs per side"),
        ((*STEADY[1:], 9.0), "left out as outliers: 1 of 20 runs"),
    ],
)
def test_grade_states_the_detectable_change(
    tmp_path: Path, blocks: tuple[float, ...], statement: str
) -> None:
    assert statement in write_texts(tmp_path, "quiet bare metal", blocks)[0]
