"""Files next to a raw file are read, and their invalid entries are reported."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchkit.labels import run_toml
from benchkit.labels.run_toml import Sidecar, read_sidecar
from benchkit.labels.sidecars import Sidecars
from benchkit.schema import FACTS

MARKED = "a?token=…2739d1b51955"
RUN_TOML = """
variant = "otlp"
run = 1
benchmark = "/ping/GRM"
position = 7                      # order in which the runs were made
start = 2026-11-20T10:00:12Z
end = 2026-11-20T10:00:42Z
[load]
tool = "wrk"
model = "closed"
connections = 8
[spans]
per_request = 3
saved = 505345
source = "elasticsearch _count"
[limits]
server = {cpu = 2.0, memory = "4GiB"}
[env]
cpu = "i7-1280P"
kernel = "6.8"
commit = "c861e65"
"""

RUNS_JSON = """[
  {"scenario": "tracing-wrk", "variant": "none", "repeat": 1,
   "start": "2026-11-21T01:21:43.302Z", "end": "2026-11-21T01:21:58.310Z", "exit_code": 0},
  {"variant": "otlp", "run": "1", "start": 1795224125, "end": 1795224140089}
]"""


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def test_every_key_of_the_published_example_is_read() -> None:
    parsed, problems = read_sidecar(RUN_TOML, "run.toml")
    assert problems == []
    assert parsed == Sidecar(
        variant="otlp",
        run=1,
        benchmark="/ping/GRM",
        position=7,
        started_at=datetime(2026, 11, 20, 10, 0, 12, tzinfo=UTC),
        ended_at=datetime(2026, 11, 20, 10, 0, 42, tzinfo=UTC),
        duration=30.0,
        tool="wrk",
        load_model="closed",
        connections=8,
        spans={"per_request": 3, "saved": 505345, "source": "elasticsearch _count"},
        limits={"server": {"cpu": 2.0, "memory": "4GiB"}},
        env={"cpu": "i7-1280P", "kernel": "6.8", "commit": "c861e65"},
    )


@pytest.mark.parametrize(
    ("text", "problem", "hint"),
    [
        ('varient = "a"', "unknown key 'varient'", "variant"),
        ("[load]\nconections = 8", "unknown key 'conections'", "connections"),
        ("zzzz = 1", "unknown key 'zzzz'", "known keys: variant"),
        ("run = -1", "whole number", ""),
        ("run = true", "whole number", ""),
        ("run = 4294967296", "whole number", ""),
        ("start = 2026-11-20T10:00:12", "zone", ""),
        ("start = 2026-11-20", "2026-11-20 is ignored: expected a time with a time zone", ""),
        ('start = "yesterday"', "zone", ""),
        ("start = 2026-11-20T10:00:12Z\nend = 2026-11-20T10:00:11Z", "before the start", ""),
        ('duration = "long"', "number", ""),
        ("duration = -1", "seconds", ""),
        ("[load]\nrate = inf", "requests per second", ""),
        ("variant = [1]", "must be a string", ""),
        ("env = 1", "table", ""),
        ("load = 1", "unknown key 'load'", ""),
    ],
)
def test_invalid_entry_is_reported_and_the_rest_is_kept(text: str, problem: str, hint: str) -> None:
    parsed, problems = read_sidecar(f'group = "kept"\n{text}', "x/run.toml")
    assert parsed == Sidecar(group="kept")
    assert [(one.path, one.severity) for one in problems] == [("x/run.toml", "warning")]
    assert problem in problems[0].what
    assert hint in problems[0].hint


@pytest.mark.parametrize(
    ("text", "line", "problem", "hint"),
    [
        ("[spans]\nsaved = -5", 2, "[spans] saved = -5 is ignored: it must be a number", ""),
        ('[spans]\nsaved = "many"', 2, "saved = 'many' is ignored", ""),
        ("[spans]\n\nper_request = 3.5", 3, "per_request = 3.5 is ignored", ""),
        ("[spans]\nper_request = 0", 2, "whole number of at least 1", ""),
        ("[spans]\ncreated = true", 2, "whole number of at least 0", ""),
        ("spans = {dropped = 1.5}", 1, "dropped = 1.5 is ignored", ""),
        ("[spans]\nper_reqest = 3", 2, "unknown key 'per_reqest'", "did you mean 'per_request'?"),
        ("[limits]\nserver = {cpu = -2.0}", 2, "server.cpu = -2.0 is ignored", ""),
        ("[limits.server]\ncpu = inf", 2, "cores above 0", ""),
        ('[limits]\nserver.memory = "4GX"', 2, "it must be an amount of data", ""),
        ("[limits]\nserver = {memory = 0}", 2, "an amount above 0", ""),
        ("[limits]\nserver = {cpus = 2}", 2, "unknown key 'server.cpus'", "did you mean 'cpu'?"),
        ("[limits]\nserver = 2", 2, "it must be a table", "use server = {cpu = 2.0}"),
        ('[limits]\n"a?token=c0ffee" = 2', 2, f"{MARKED} = 2 is ignored", f"{MARKED} ="),
        ('[limits]\na.memory = "c0ffee-beef"', 2, "a.memory = '…992e7c98f69d' is ignored", ""),
        ("[limits]\na = ['c0ffee']", 2, "a = … is ignored", ""),
        ("[containers]\nservice = 3", 2, "the name of a container", ""),
        ("[containers]\nstorage = []", 2, "the name of a container", ""),
        ('[containers]\nservce = "a"', 2, "unknown key 'servce'", "did you mean 'service'?"),
    ],
)
def test_invalid_table_is_reported_with_its_line(
    text: str, line: int, problem: str, hint: str
) -> None:
    parsed, problems = read_sidecar(text, "x/run.toml")
    assert parsed == Sidecar()
    assert [(one.where, one.severity) for one in problems] == [(f"x/run.toml:{line}", "warning")]
    assert problem in problems[0].what
    assert hint in problems[0].hint


def test_valid_entries_next_to_invalid_ones_are_kept() -> None:
    text = "[spans]\nsaved = 0\nper_request = -1\n[limits]\na = {cpu = 2, memory = -1}\n"
    parsed, problems = read_sidecar(text, "run.toml")
    assert (parsed.spans, parsed.limits) == ({"saved": 0}, {"a": {"cpu": 2}})
    assert [one.line for one in problems] == [3, 5]


def test_labels_of_a_configuration_file_name_their_line(tmp_path: Path) -> None:
    write(tmp_path, {"benchkit.toml": "schema = 1\n[labels.spans]\nsaved = -1\n", "a.txt": ""})
    sidecars = Sidecars(tmp_path)
    assert sidecars.for_file(tmp_path / "a.txt").spans == {}
    assert [one.where for one in sidecars.diagnostics] == [f"{tmp_path}/benchkit.toml:3"]


def test_containers_are_named_by_containers_json(tmp_path: Path) -> None:
    write(tmp_path, {"containers.json": '{"/docker/4f1c": "consumer"}', "a/b.txt": ""})
    sidecars = Sidecars(tmp_path)
    assert sidecars.for_file(tmp_path / "a" / "b.txt").env == {"name./docker/4f1c": "consumer"}
    assert sidecars.diagnostics == []


@pytest.mark.parametrize("text", ["[1]", "{", '{"a": 1}'])
def test_invalid_containers_json_is_reported(tmp_path: Path, text: str) -> None:
    write(tmp_path, {"containers.json": text, "b.txt": ""})
    sidecars = Sidecars(tmp_path)
    assert sidecars.for_file(tmp_path / "b.txt") == Sidecar()
    (problem,) = sidecars.diagnostics
    assert problem.what.endswith(", so its container names are ignored")


def test_broken_toml_is_reported_with_its_line() -> None:
    parsed, problems = read_sidecar('variant = "a"\nrun = = 1\n', "run.toml")
    assert parsed == Sidecar(damage=str(problems[0]))
    assert [(one.line, one.severity) for one in problems] == [(2, "warning")]


def test_durations_and_commands_are_accepted_as_people_write_them() -> None:
    text = 'duration = "1m30s"\nargv = ["wrk", "-c8"]\n[params]\nsize = 1024\ntls = true\n'
    parsed, problems = read_sidecar(text, "run.toml")
    assert problems == []
    assert (parsed.duration, parsed.command) == (90.0, "wrk -c8")
    assert parsed.params == {"size": "1024", "tls": "true"}


def test_table_with_too_many_entries_is_refused() -> None:
    text = 'variant = "a"\n[params]\n' + "".join(f"p{n} = {n}\n" for n in range(20_000))
    sidecar, [problem] = read_sidecar(text, "a/run.toml")
    assert (problem.where, problem.severity) == ("a/run.toml:2", "error")
    assert problem.what == "[params] has 20,000 entries, more than 200; all of them are ignored"
    assert (sidecar.variant, sidecar.params) == ("a", {})


def test_sidecar_with_too_many_keys_is_refused() -> None:
    text = "".join(f"[a{n}.b.c]\n" for n in range(8_000))
    sidecar, [problem] = read_sidecar(text, "a/run.toml")
    assert (problem.where, problem.severity) == ("a/run.toml", "error")
    assert problem.what == "8,000 entries, more than 200; all of them are ignored"
    assert sidecar == Sidecar()


def test_limits_with_too_many_entries_are_refused() -> None:
    text = "[limits.server]\n" + "".join(f"p{n} = {n}\n" for n in range(8_000))
    sidecar, [problem] = read_sidecar(text, "a/run.toml")
    assert problem.what.startswith("[limits] server has 8,000 entries, more than 200; all ")
    assert (problem.where, sidecar.limits) == ("a/run.toml:1", {})


def test_file_is_searched_once_for_all_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[str] = []
    list_keys = run_toml._list_keys

    def count(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
        passes.append(text)
        return list_keys(text)

    monkeypatch.setattr(run_toml, "_list_keys", count)
    text = "".join(f"a{n} = 1\n" for n in range(150)) + "[env]\n"
    problems = read_sidecar(text, "run.toml")[1]
    assert [problem.line for problem in problems] == list(range(1, 151))
    assert len(passes) == 1


def test_sidecars_are_inherited_downward(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "benchkit.toml": '[project]\ntitle = "x"\n[labels]\ngroup = "low"\nvariant = "low"\n',
            "run.toml": 'variant = "root"\n[env]\ncpu = "i7"\ncommit = "a"\n',
            "none/run.toml": 'variant = "none"\n[env]\ncommit = "b"\n',
            "none/deep/wrk-1.txt": "",
            "none/wrk-1.txt.run.toml": "run = 4\nstart = 2026-11-20T10:00:12Z\n",
            "none/cadvisor-metrics-1.run.toml": "run = 9\n",
        },
    )
    sidecars = Sidecars(tmp_path)
    deep = sidecars.for_file(tmp_path / "none/deep/wrk-1.txt")
    assert (deep.group, deep.variant, deep.run) == ("low", "none", None)
    assert deep.env == {"cpu": "i7", "commit": "b"}
    inherited = sidecars.for_file(tmp_path / "none/wrk-1.txt")
    assert (inherited.variant, inherited.run) == ("none", 4)
    assert sidecars.for_file(tmp_path / "none/wrk-2.txt").run is None
    assert sidecars.for_file(tmp_path / "none/cadvisor-metrics-1").run == 9
    assert sidecars.for_file(tmp_path / "wrk-1.txt").variant == "root"
    assert sidecars.diagnostics == []


def test_duration_follows_inherited_times(tmp_path: Path) -> None:
    day = "2026-11-20T10:00:"
    write(
        tmp_path,
        {
            "run.toml": f"start = {day}10Z\nend = {day}40Z\n",
            "wrk-1.txt.run.toml": f"start = {day}20Z\n",
            "wrk-2.txt.run.toml": "run = 2\n",
        },
    )
    sidecars = Sidecars(tmp_path)
    assert sidecars.for_file(tmp_path / "wrk-1.txt").duration == 20.0
    assert sidecars.for_file(tmp_path / "wrk-2.txt").duration == 30.0


def test_nothing_above_the_ingested_folder_is_read(tmp_path: Path) -> None:
    write(tmp_path, {"run.toml": 'variant = "above"\n', "results/wrk-1.txt": ""})
    sidecars = Sidecars(tmp_path / "results")
    assert sidecars.for_file(tmp_path / "results/wrk-1.txt") == Sidecar()
    assert sidecars.for_file(tmp_path / "elsewhere/wrk-1.txt") == Sidecar()


def test_problems_are_reported_once(tmp_path: Path) -> None:
    write(tmp_path, {"run.toml": "varient = 1\n", "runs.json": "{", "benchkit.toml": "= broken"})
    sidecars = Sidecars(tmp_path)
    for name in ("a.txt", "b.txt"):
        sidecars.for_file(tmp_path / name)
        assert sidecars.window_for("none", 1, tmp_path / name) is None
    names = ["benchkit.toml", "run.toml", "runs.json"]
    assert sorted(Path(one.path).name for one in sidecars.diagnostics) == names
    assert {one.severity for one in sidecars.diagnostics} == {"warning"}


def test_unreadable_sidecar_is_reported(tmp_path: Path) -> None:
    (tmp_path / "run.toml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "a.txt.run.toml").mkdir()
    sidecars = Sidecars(tmp_path)
    sidecar = sidecars.for_file(tmp_path / "a.txt")
    assert sidecar == Sidecar(damage=str(sidecars.diagnostics[-1]))
    assert len(sidecars.diagnostics) == 2


def test_windows_are_looked_up_from_below(tmp_path: Path) -> None:
    write(tmp_path, {"runs.json": RUNS_JSON, "none/wrk-1.txt": "", "otlp/wrk-1.txt": ""})
    sidecars = Sidecars(tmp_path)
    sidecars.for_file(tmp_path / "none/wrk-1.txt")
    recorded = sidecars.windows("none")[0]
    assert (recorded.start, recorded.end, recorded.exit_code) == (
        datetime(2026, 11, 21, 1, 21, 43, 302000, tzinfo=UTC),
        datetime(2026, 11, 21, 1, 21, 58, 310000, tzinfo=UTC),
        0,
    )
    for place in ("none", tmp_path / "none", tmp_path / "none/wrk-1.txt"):
        assert sidecars.window_for("none", 1, place) == recorded
    otlp = sidecars.window_for("otlp", 1, "otlp")
    assert otlp is not None
    assert (otlp.end - otlp.start).total_seconds() == pytest.approx(15.089)
    assert sidecars.window_for("none", 2, "none") is None
    assert sidecars.window_for("none", None, "none") is None
    assert sidecars.window_for("none", 1, None) is None


def test_named_run_does_not_get_the_window_of_an_unnamed_one(tmp_path: Path) -> None:
    days = [
        {"start": f"2026-01-0{day}T00:00:00Z", "end": f"2026-01-0{day}T00:01:00Z", "run": 1}
        for day in (1, 2)
    ]
    runs = [
        {"variant": "a", **days[0]},
        {"variant": "a", "benchmark": "get", "group": "eu", **days[1]},
        {"variant": "b", **days[0]},
        {"variant": "b", **days[1]},
    ]
    write(tmp_path, {"runs.json": json.dumps(runs)})
    sidecars = Sidecars(tmp_path)
    nameless = sidecars.window_for("a", 1, "")
    named = sidecars.window_for("a", 1, "", benchmark="get", group="eu")
    assert nameless is not None
    assert named is not None
    assert (nameless.start.day, named.start.day) == (1, 2)
    assert sidecars.window_for("a", 1, "", benchmark="full") is None
    assert sidecars.window_for("a", 1, "", benchmark="get", group="us") is None
    assert sidecars.window_for("b", 1, "") is None


def entry(day: int, **labels: str) -> dict[str, object]:
    times = {"start": f"2026-01-0{day}T00:00:00Z", "end": f"2026-01-0{day}T00:01:00Z"}
    return {"variant": "a", "run": 1, **times, **labels}


def test_run_listed_twice_is_reported_with_both_entries(tmp_path: Path) -> None:
    runs = [entry(1), entry(1, variant="b"), entry(2)]
    write(tmp_path, {"runs.json": json.dumps(runs)})
    sidecars = Sidecars(tmp_path)
    assert sidecars.window_for("a", 1, "") is None
    assert sidecars.window_for("b", 1, "") is not None
    (problem,) = sidecars.diagnostics
    assert problem.severity == "warning"
    assert problem.what == (
        "entries 1 and 3 give run 1 of a different times (2026-01-01T00:00:00Z to "
        "2026-01-01T00:01:00Z; 2026-01-02T00:00:00Z to 2026-01-02T00:01:00Z): both are "
        "ignored"
    )


@pytest.mark.parametrize(
    ("runs", "pairs"),
    [
        ([entry(1), entry(1)], []),
        ([entry(1, group="eu"), entry(2, group="us")], []),
        ([entry(1, benchmark="get"), entry(2)], []),
        ([entry(1), entry(2, group="us")], ["entries 1 and 2 "]),
        ([entry(1, group="us"), entry(2)], ["entries 1 and 2 "]),
        ([entry(1), entry(2), entry(2)], ["entries 1 and 2 ", "entries 1 and 3 "]),
    ],
)
def test_only_different_times_of_one_run_are_reported(
    tmp_path: Path, runs: list[dict[str, object]], pairs: list[str]
) -> None:
    write(tmp_path, {"runs.json": json.dumps(runs)})
    sidecars = Sidecars(tmp_path)
    sidecars.windows("")
    messages = [one.what for one in sidecars.diagnostics]
    assert [message.partition("give")[0] for message in messages] == pairs


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('[{"variant": "none", "repeat": 1, "sta', "not valid JSON"),
        ('{"variant": "none"}', "not a list"),
        ("[1]", "entry 1 is ignored: not an object"),
        ('[{"variant": "none"}]', "it lacks run, start, end"),
        ('[{"variant": "a", "run": 1, "start": 2e9, "end": 1e9}]', "its end is before its start"),
        ('[{"variant": "a", "run": 1.5, "start": 1e9, "end": 2e9}]', "whole number"),
        ('[{"variant": "a", "run": 1, "start": NaN, "end": 2e9}]', "expected a time"),
    ],
)
def test_invalid_run_list_is_reported(tmp_path: Path, text: str, problem: str) -> None:
    write(tmp_path, {"runs.json": text})
    sidecars = Sidecars(tmp_path)
    assert sidecars.windows("") == []
    assert [problem in one.what for one in sidecars.diagnostics] == [True]


def test_published_json_schema_matches_the_keys(request: pytest.FixtureRequest) -> None:
    published = Path(run_toml.__file__).with_name("run.schema.json")
    text = json.dumps(run_toml.json_schema(), indent=1, ensure_ascii=False) + "\n"
    if request.config.getoption("--update"):
        published.write_text(text, encoding="utf-8")
    assert published.read_text(encoding="utf-8") == text


def test_every_fact_is_a_sidecar_key_unless_only_results_state_it() -> None:
    keys = {key.name for key in run_toml.KEYS}
    assert {fact.name for fact in FACTS} - keys == {"corrected", "units", "remark"}
    assert set(run_toml.TOP.values()) == keys
    assert set(run_toml.LOAD.values()) <= keys
