"""Each kind of machine is noisy for specific reasons, and gets remedies for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from machines import MACHINES, QUIET, visit, write

from benchkit.doctor import Machine, examine
from benchkit.doctor.checks import CHECKS


def read(root: Path, name: str) -> dict[str, str]:
    return {check.name: check.reading for check in visit(root, name).checks}


@pytest.mark.parametrize("name", MACHINES)
def test_each_noisy_check_has_a_remedy(tmp_path: Path, name: str) -> None:
    checks = visit(tmp_path, name).checks
    noisy = {check.name for check in checks if check.state == "noisy"}
    assert noisy == MACHINES[name][2]
    assert all(bool(check.remedy) == (check.name in noisy) for check in checks)
    assert len({check.name for check in checks}) == len(CHECKS)


def test_quiet_machine_records_everything(tmp_path: Path) -> None:
    assert {check.state for check in visit(tmp_path, "quiet bare metal").checks} == {"quiet"}


def test_nothing_is_recorded_without_files(tmp_path: Path) -> None:
    assert {check.state for check in visit(tmp_path, "no file at all").checks} == {"not recorded"}


def test_busiest_programs_are_named(tmp_path: Path) -> None:
    assert read(tmp_path, "busy")["other load"].replace("\N{NO-BREAK SPACE}", " ") == (
        "other programs use 1.5 of 4 CPUs; load average 3.10; most by k6 (7) 98 %, a) :( (9) 50 %"
    )


def test_laptop_is_examined(tmp_path: Path) -> None:
    readings = read(tmp_path, "laptop")
    assert readings["frequency governor"] == "powersave, performance"
    assert readings["hyper-threads"].startswith("1 of 3 cores run several threads")
    assert readings["thermal throttling"] == "9 events since boot, 2 during the check"


def test_container_is_examined(tmp_path: Path) -> None:
    readings = read(tmp_path, "throttled container")
    assert readings["CPU limit"] == "1.5 CPUs; throttled in 150 periods, 30 during the check"
    assert readings["virtualisation"] == "container"


def test_stolen_time_is_a_share_of_the_requested_time(tmp_path: Path) -> None:
    assert read(tmp_path, "stolen virtual machine")["steal"].startswith("12.0")


def test_swap_is_examined(tmp_path: Path) -> None:
    assert read(tmp_path, "swapping")["swap"] == "512 MiB in use; 40 pages moved during the check"


@pytest.mark.parametrize(
    ("files", "noisy"),
    [
        ({"sys/devices/system/cpu/cpufreq/boost": "1"}, "turbo"),
        ({"proc/self/mountinfo": "9 1 0:9 / / rw - overlay overlay rw"}, "virtualisation"),
        ({"sys/class/dmi/id/product_name": "KVM"}, "virtualisation"),
        (
            {"proc/self/cgroup": "3:cpu:/a", "sys/fs/cgroup/cpu/a/cpu.stat": "nr_throttled 4"},
            "CPU limit",
        ),
    ],
)
def test_other_signs_of_noise(tmp_path: Path, files: dict[str, str], noisy: str) -> None:
    kept = {name: text for name, text in QUIET.items() if not name.endswith("no_turbo")}
    write(tmp_path, kept | files)
    checks = examine(Machine(tmp_path), 0, pause=lambda _: None).checks
    assert [check.name for check in checks if check.state == "noisy"] == [noisy]


def test_clock_without_a_faster_source_has_another_remedy(tmp_path: Path) -> None:
    clock = "sys/devices/system/clocksource/clocksource0"
    write(tmp_path, {f"{clock}/current_clocksource": "hpet"})
    checks = examine(Machine(tmp_path), 0, pause=lambda _: None).checks
    assert ["dmesg" in each.remedy for each in checks if each.state == "noisy"] == [True]


def test_real_machine_is_examined() -> None:
    assert len(examine(Machine(), 0, pause=lambda _: None).checks) == len(CHECKS)
