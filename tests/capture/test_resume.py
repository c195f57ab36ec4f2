"""A series continues only with the plan that began it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchkit.capture.places import holding
from benchkit.capture.plan import Commands, Plan, Stopping
from benchkit.capture.resume import Record, count_rounds, require_plan, state_plan, write_sidecar
from benchkit.capture.session import carry_out
from benchkit.cli.until import read_rule
from benchkit.deciding import Decision, measure_until_decided
from benchkit.errors import ConfigError, DataError
from benchkit.labels.run_toml import Sidecar, read_sidecar
from benchkit.redaction import redact
from benchkit.redaction.marks import draw_key, use_key
from benchkit.stats import SequentialDesign

AT = datetime(2026, 11, 20, 10, 0, tzinfo=UTC)
COMMANDS = Commands(command=("wrk", "http://h/"))
WHOLE = replace(
    COMMANDS,
    warmup=("wrk", "-d1s", "http://h/"),
    before=("sh", "-c", "create a; fill --password=k3yOfMine 3"),
    after=("drop", "1"),
    serve=("./server", "--port", "8080"),
    ready="http://h/",
    build="make -j 2",
)
OTHER = replace(
    WHOLE,
    warmup=("wrk", "-d2s", "http://h/"),
    before=("sh", "-c", "create a; fill --password=k3yOfMine 4"),
    after=("drop", "2"),
    serve=("./server", "--port", "8081"),
    ready="http://h:81/",
    build="make -j 3",
)


def record(commands: Commands, *, is_pinned: bool = False) -> Sidecar:
    """Return the sidecar of a run from a separate session, as read back."""
    use_key(draw_key())
    argv, plan = redact(commands.command, marked=True), state_plan(commands, is_pinned=is_pinned)
    run = Record(argv=argv, start=AT, end=AT, exit=0, variant="none", plan=plan)
    sidecar, problems = read_sidecar(write_sidecar(run), "1.txt.run.toml")
    assert problems == []
    return sidecar


@pytest.mark.parametrize("commands", [COMMANDS, WHOLE])
def test_equal_plan_continues(commands: Commands) -> None:
    sidecar = record(commands)
    assert "k3yOfMine" not in f"{sidecar.plan}"
    use_key(draw_key())
    require_plan([sidecar], {"none": replace(commands, ready_timeout=9)}, Path("results"))


@pytest.mark.parametrize("key", ["warmup", "before", "after", "serve", "ready", "build"])
def test_every_part_of_a_plan_must_be_equal(key: str) -> None:
    without = replace(WHOLE, **{key: getattr(COMMANDS, key)})
    other = replace(WHOLE, **{key: getattr(OTHER, key)})
    for before, after, problem in (
        (WHOLE, other, f"holds runs with another '{key}' for none: "),
        (WHOLE, without, f"holds runs with another '{key}' for none: "),
        (without, WHOLE, f"holds runs without '{key}' for none"),
    ):
        with pytest.raises(ConfigError, match=problem) as raised:
            require_plan([record(before)], {"none": after}, Path("results"))
        assert "k3yOfMine" not in str(raised.value)


def test_pinned_runs_continue_only_pinned() -> None:
    pinned, free = record(WHOLE, is_pinned=True), record(WHOLE)
    require_plan([pinned], {"none": WHOLE}, Path("results"), is_pinned=True)
    with pytest.raises(ConfigError, match="holds runs without 'pin' for none"):
        require_plan([free], {"none": WHOLE}, Path("results"), is_pinned=True)
    with pytest.raises(ConfigError, match="holds runs with another 'pin' for none: true"):
        require_plan([pinned], {"none": WHOLE}, Path("results"))


def test_variant_cannot_be_added_to_a_series() -> None:
    rule = Stopping(design=SequentialDesign(least=4, most=9), margin=0.03, confidence=0.95)
    plan = Plan(variants=dict.fromkeys(("none", "new"), COMMANDS), stopping=rule)
    stated = [{key: f"{value}" for key, value in rule.state(number).items()} for number in (1, 2)]
    sidecars = [Sidecar(variant="none", role="measured", stopping=each) for each in stated]
    with pytest.raises(ConfigError, match="holds a series without 'new', to which a variant can"):
        count_rounds(sidecars, plan, Path("results"))
    assert count_rounds(sidecars[:1], plan, Path("results")) == {"none": 1, "new": 0}


def test_two_sessions_cannot_measure_one_series(tmp_path: Path) -> None:
    rule = Stopping(design=SequentialDesign(least=4, most=9), margin=0.03, confidence=0.95)
    plan = Plan(variants=dict.fromkeys("ab", Commands(command=("true",))), stopping=rule)
    with (
        holding(tmp_path),
        pytest.raises(ConfigError, match="another session is measuring in this"),
    ):
        carry_out(plan, tmp_path)
    assert carry_out(plan, tmp_path, is_decided=bool).planned == 18


@pytest.mark.parametrize("name", ["a/gobench-9.txt", "a.txt", "older/1.txt"])
def test_other_results_in_the_folder_are_refused_before_any_run(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("BenchmarkGet 1000 999 ns/op\n", "utf-8")
    rule = Stopping(design=SequentialDesign(least=4, most=9), margin=0.03, confidence=0.95)
    plan = Plan(variants=dict.fromkeys("ab", Commands(command=("true",))), stopping=rule)
    with pytest.raises(ConfigError, match=f"not part of this series: {path}; move it out of "):
        measure_until_decided(plan, tmp_path)
    assert not [*tmp_path.rglob("*.run.toml")]


def measure_script(folder: Path, script: str) -> Decision:
    """Measure a series of two rounds with a script that gets its variant's name."""
    rule = Stopping(design=SequentialDesign(least=2, most=2), margin=0.03, confidence=0.95)
    words = {name: Commands(command=("sh", "-c", f"cd {folder}; {script}", name)) for name in "ab"}
    return measure_until_decided(Plan(variants=words, stopping=rule), folder / "r")


LINE = "echo BenchmarkGet 1000 1002 ns/op"


def test_run_without_output_is_repeated(tmp_path: Path) -> None:
    script = f'echo >> $0; [ "$0.$(wc -l < $0)" = b.2 ] || {LINE}'
    with pytest.raises(DataError, match="no results of 'b' were read: the file is empty") as error:
        measure_script(tmp_path, script)
    path = tmp_path / "r/b/2.txt"
    assert error.value.where == f"{path}"
    assert error.value.hint.startswith("delete this file and its sidecar, then run the command ag")
    assert not (tmp_path / "r/a/3.txt").exists()
    for name in (path, path.with_name("2.txt.run.toml")):
        name.unlink()
    assert (made := measure_script(tmp_path, script).progress)
    assert made.rounds == 2
    assert len([*tmp_path.rglob("*.txt")]) == 4


def test_several_results_per_run_end_the_series_after_its_first_round(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="several runs of one round") as error:
        measure_script(tmp_path, f"{LINE}; {LINE}")
    assert "for Go: -count 1" in error.value.hint
    assert len([*tmp_path.rglob("*.txt")]) == 2


def test_coarse_rounding_ends_the_series_with_the_step_size(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"for any primary row: values are rounded"):
        measure_script(tmp_path, "echo BenchmarkGet 1000 10 ns/op")


def test_short_series_is_first_judged_after_its_last_round() -> None:
    options = ("--min-rounds", "--max-rounds", "--margin", "--confidence")
    for least, most, expected in ((None, 3, (3, 3)), (None, None, (4, 40)), (2, 9, (2, 9))):
        design = read_rule(dict(zip(options, (least, most, None, None), strict=True))).design
        assert (design.least, design.most) == expected
    with pytest.raises(ConfigError, match="got 2 and 1"):
        read_rule(dict(zip(options, (None, 1, None, None), strict=True)))


def test_failed_runs_of_another_command_are_set_aside(tmp_path: Path) -> None:
    for number, command in enumerate((("wkr", "http://h/"), COMMANDS.command), 1):
        run = Record(argv=redact(command), start=AT, end=AT, exit=1, variant="a", role="failed")
        (tmp_path / f"{number}.txt").touch()
        (tmp_path / f"{number}.txt.run.toml").write_text(write_sidecar(run), "utf-8")
    rule = Stopping(design=SequentialDesign(least=4, most=9), margin=0.03, confidence=0.95)
    commands = replace(COMMANDS, command=("true", "http://h/"), warmup=COMMANDS.command)
    plan = Plan(variants={"a": commands, "b": commands}, stopping=rule)
    lines: list[str] = []
    carry_out(plan, tmp_path, announce=lines.append, is_decided=lambda _: True)
    assert lines == [f"{tmp_path}: set aside 1 failed run of other commits or commands"]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".1.txt", ".1.txt.run.toml", "2.txt", "2.txt.run.toml"
    ]  # fmt: skip


def test_refused_session_prints_no_cpus(tmp_path: Path) -> None:
    rule = Stopping(design=SequentialDesign(least=4, most=9), margin=0.03, confidence=0.95)
    run = Record(argv=["true"], start=AT, end=AT, exit=0, variant="a", stopping=rule.state(1))
    (tmp_path / "1.txt.run.toml").write_text(write_sidecar(run), "utf-8")
    commands = Commands(command=("true",), serve=("true",), ready="127.0.0.1:1")
    lines: list[str] = []
    with pytest.raises(ConfigError, match="contains an early-stopping series"):
        carry_out(Plan(variants={"a": commands}, is_pinned=True), tmp_path, announce=lines.append)
    assert lines == []
