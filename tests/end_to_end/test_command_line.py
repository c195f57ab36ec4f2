"""The installed command as users and scripts meet it: output, files, exit codes, messages."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from invocation import benchkit, start

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
TRACING = str(FIXTURES / "tracing-wrk")
PINNED = FIXTURES / "redis-gobench" / "pinned"
ROW_KEYS = (
    "group,benchmark,params,subject,metric,stat,unit,better,primary,baseline,variant,n_baseline,"
    "n_variant,center_baseline,center_variant,delta,ratio,ratio_low,ratio_high,method,p,p_adjusted,"
    "verdict,runs_needed,notes,detectable,difference,difference_low,difference_high,adjustment,"
    "simultaneous_low,simultaneous_high,spread_baseline,spread_variant"
)


def compare(*arguments: str, cwd: Path) -> dict[str, object]:
    done = benchkit("compare", *arguments, "--format", "json", cwd=cwd)
    assert done.returncode == 0, done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    return document


def rows(document: dict[str, object], **wanted: object) -> list[dict[str, object]]:
    selected = document["rows"]
    assert isinstance(selected, list)
    return [row for row in selected if all(row[key] == value for key, value in wanted.items())]


def test_from_folder_to_report(tmp_path: Path) -> None:
    assert start("ingest", TRACING, cwd=tmp_path).returncode == 0
    sides = ["--baseline", "none", "--variant", "otlp", "--blocks", "never"]
    done = start("report", *sides, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("▲ otlp serves 13.1")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "otlp serves 13.1" in page
    assert "http" not in page.replace("http://www.w3.org", "").replace("http-equiv", "")


def test_json_document_has_the_contract_keys(tmp_path: Path) -> None:
    document = compare(TRACING, cwd=tmp_path)
    assert list(document) == [
        "format_version",
        "pairs",
        "confidence",
        "margin",
        "rows",
        "findings",
        "only_in",
        "verdict",
    ]
    assert document["pairs"] == [["none", v] for v in ("apm", "otlp", "skywalking", "zipkin")]
    assert all(",".join(row) == ROW_KEYS for row in rows(document))


@pytest.mark.parametrize(
    ("blocks", "variant", "change", "low", "high", "verdict"),
    [
        ("never", "otlp", -13.1, -14.8, -11.1, "regression"),
        ("never", "zipkin", -16.1, -18.3, -14.2, "regression"),
        ("never", "skywalking", -11.5, -12.9, -9.8, "regression"),
        ("never", "apm", 0.1, -2.3, 2.7, "equivalent"),
        ("auto", "otlp", -12.85, -14.76, -11.26, "regression"),
        ("auto", "zipkin", -16.10, -18.12, -14.75, "regression"),
        ("auto", "skywalking", -11.41, -12.80, -10.02, "regression"),
        ("auto", "apm", -0.48, -2.10, 2.68, "equivalent"),
    ],
)
def test_quiet_set_matches_the_hand_computed_values(
    tmp_path: Path, blocks: str, variant: str, change: float, low: float, high: float, verdict: str
) -> None:
    document = compare(TRACING, "--blocks", blocks, cwd=tmp_path)
    (row,) = rows(document, variant=variant, metric="request_rate")
    percents = [100 * (float(str(row[key])) - 1) for key in ("ratio", "ratio_low", "ratio_high")]
    assert percents == pytest.approx([change, low, high], abs=0.05)
    assert (row["verdict"], row["primary"], row["n_variant"]) == (verdict, True, 8)
    assert row["method"] == {"never": "hodges-lehmann", "auto": "aligned"}[blocks]


def test_medians_of_go_benchmarks_equal_benchstat(tmp_path: Path) -> None:
    document = compare(
        f"baseline={PINNED / 'Baseline.txt'}",
        f"enabled={PINNED / 'OTel_Enabled.txt'}",
        cwd=tmp_path,
    )
    golden = FIXTURES / "redis-gobench" / "benchstat" / "new-pinned-2file.csv"
    metric, checked = "", 0
    for line in csv.reader(io.StringIO(golden.read_text())):
        if len(line) > 1 and line[0] == "" and line[1].endswith("/op"):
            metric = {"sec/op": "time_per_op", "B/op": "bytes_per_op"}.get(line[1], "allocs_per_op")
        elif len(line) > 3 and line[0] not in {"", "geomean"}:
            name = line[0].removesuffix("-2")
            (row,) = rows(document, benchmark=name, metric=metric)
            centers = [row["center_baseline"], row["center_variant"]]
            assert centers == pytest.approx([float(line[1]), float(line[3])], rel=1e-12)
            checked += 1
    assert checked == 15


def test_exact_metrics_have_no_p(tmp_path: Path) -> None:
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]
    document = compare(*files, cwd=tmp_path)
    exact = rows(document, metric="allocs_per_op")
    assert len(exact) == 5
    assert {(row["p"], row["method"], row["verdict"]) for row in exact} == {
        (None, "exact", "regression")
    }


def test_pairs_of_three_variants(tmp_path: Path) -> None:
    files = [str(PINNED / f"{name}.txt") for name in ("Baseline", "OTel_Disabled", "OTel_Enabled")]
    pairs = ["--pair", "Baseline:OTel_Disabled", "--pair", "OTel_Disabled:OTel_Enabled"]
    document = compare(*files, *pairs, cwd=tmp_path)
    assert document["pairs"] == [["Baseline", "OTel_Disabled"], ["OTel_Disabled", "OTel_Enabled"]]
    assert all(row["verdict"] == "regression" for row in rows(document, primary=True))


def test_named_metric_is_primary(tmp_path: Path) -> None:
    document = compare(TRACING, "--metric", "latency.p99", "--variant", "zipkin", cwd=tmp_path)
    (row,) = rows(document, primary=True)
    assert (row["metric"], row["stat"], row["verdict"]) == ("latency", "p99", "regression")


def test_csv_columns_are_the_keys_of_the_rows(tmp_path: Path) -> None:
    done = benchkit("compare", TRACING, "--format", "csv", cwd=tmp_path)
    assert done.stdout.split("\n")[0] == ROW_KEYS


def test_standard_input_is_read(tmp_path: Path) -> None:
    text = (PINNED / "Baseline.txt").read_text()
    done = benchkit("export", "base=-", "--metric", "time_per_op", cwd=tmp_path, stdin=text)
    assert done.stdout.count("time_per_op") == 50
    assert ",base,Redis/Ping,gomaxprocs=2,10," in done.stdout


def test_parquet_is_written_to_a_file(tmp_path: Path) -> None:
    done = benchkit("export", TRACING, "-o", "table.parquet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "table.parquet").read_bytes()[:4] == b"PAR1"


@pytest.mark.parametrize("form", ["table", "md", "csv", "json"])
def test_runs_lists_warm_ups_too(tmp_path: Path, form: str) -> None:
    done = benchkit("runs", TRACING, "--format", form, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("warmup") >= (40 if form in {"csv", "json"} else 5)
    assert done.stdout.count("otlp") >= (16 if form in {"csv", "json"} else 2)


def test_runs_of_equal_labels_share_a_line_unless_all_are_listed(tmp_path: Path) -> None:
    folded, listed = (
        benchkit("runs", TRACING, *options, cwd=tmp_path).stdout.splitlines()
        for options in ((), ("--all",))
    )
    assert (len(folded), len(listed)) == (3 + 10, 3 + 80)
    assert folded[:2] == listed[:2] == ["Runs", "40 measured, 40 warmup"]
    assert [line.split()[3] for line in folded[3:]] == ["1–8"] * 10


def test_undo_reverts_the_ingest(tmp_path: Path) -> None:
    benchkit("ingest", TRACING, cwd=tmp_path)
    assert benchkit("undo", cwd=tmp_path).returncode == 0
    assert benchkit("compare", cwd=tmp_path).returncode == 3


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compare", "nowhere"], 3, "nowhere: no such file or folder"),
        (["compare"], 3, "run `benchkit ingest PATH` first"),
        (["ingest", "{junk}"], 3, "unknown format"),
        (["compare", TRACING, "--baseline", "nnoe"], 3, "did you mean 'none'?"),
        (["compare", TRACING, "--variant", "olpt"], 3, "did you mean 'otlp'?"),
        (["compare", TRACING, "--metric", "request_rat"], 3, "did you mean 'request_rate'?"),
        (["compare", TRACING, "--margin", "3"], 2, "--margin: '3' is not a share"),
        (["compare", TRACING, "--blocks", "always"], 2, "--blocks: unknown value 'always'"),
        (["compare", TRACING, "--format", "xml"], 2, "use table, md, csv, json"),
        (["compare", TRACING, "--pair", "none"], 2, "use BASELINE:VARIANT"),
        (["compare", "{one}"], 3, "is the only variant"),
        (["compare", TRACING, "--frobnicate"], 2, "--frobnicate"),
        (["frobnicate"], 2, "frobnicate"),
        (["undo"], 3, "no store here"),
        (["export", TRACING, "--format", "parquet"], 2, "write it to a file with -o"),
        (
            ["report", TRACING, "-o", "noext"],
            2,
            "-o noext: the file name has no extension; end it with",
        ),
        (
            ["plot", "runs", TRACING, "-o", "a.gif"],
            2,
            "unknown file extension '.gif'; end it with .svg",
        ),
        (["compare", "{a}", "{b}"], 3, "share no combination of benchmark, metric and level"),
    ],
)
def test_refusal_is_one_line_and_an_exit_code(
    tmp_path: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "notes.txt").write_text("nothing measured here\n")
    (tmp_path / "a.txt").write_text("BenchmarkBase/Ping 1 5 ns/op\n")
    (tmp_path / "b.txt").write_text("BenchmarkWith/Ping 1 5 ns/op\n")
    names = {"junk": "notes.txt", "one": str(PINNED / "Baseline.txt"), "a": "a.txt", "b": "b.txt"}
    done = benchkit(*(text.format(**names) for text in arguments), cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_names_that_never_match_suggest_a_rename(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("BenchmarkBase/Ping 1 5 ns/op\n")
    (tmp_path / "b.txt").write_text("BenchmarkWith/Ping 1 5 ns/op\n")
    done = benchkit("compare", "a.txt", "b.txt", cwd=tmp_path)
    assert "--rename 's#^(Base|With)/##'" in done.stderr
    again = benchkit("compare", "a.txt", "b.txt", "--rename", "s#^(Base|With)/##", cwd=tmp_path)
    assert again.returncode == 0
    assert "direction only" in again.stdout


def test_baseline_is_required_if_names_do_not_reveal_it(tmp_path: Path) -> None:
    for variant, time in (("left", 5), ("right", 6)):
        (tmp_path / "r" / variant).mkdir(parents=True)
        (tmp_path / "r" / variant / "1.txt").write_text(f"BenchmarkPing 1 {time} ns/op\n")
    done = benchkit("compare", "r", cwd=tmp_path)
    assert done.returncode == 2
    assert "the variants are left, right" in done.stderr


def test_reading_commands_end_cleanly_every_time(tmp_path: Path) -> None:
    start("ingest", TRACING, cwd=tmp_path)
    codes = {start("compare", "--variant", "otlp", cwd=tmp_path).returncode for _ in range(4)}
    assert codes == {0}


def test_closed_pipe_is_not_an_error(tmp_path: Path) -> None:
    command = f"'{sys.executable}' -m benchkit export '{TRACING}' | head -1"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""


@pytest.mark.parametrize("again", [".", "../r", "none", "none/1.txt", "link"])
def test_path_named_twice_is_read_once(tmp_path: Path, again: str) -> None:
    folder = tmp_path / "r"
    for variant, time in (("none", 5), ("on", 6)):
        (folder / variant).mkdir(parents=True)
        (folder / variant / "1.txt").write_text(f"BenchmarkPing 1 {time} ns/op\n")
    (tmp_path / "link").symlink_to(folder)
    twice = str(tmp_path / "link") if again == "link" else again
    done = benchkit("ingest", ".", twice, "--store", "../store", cwd=folder)
    assert "../store: 2 runs" in done.stderr


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_one_file_under_two_labels_is_not_compared_with_itself(
    tmp_path: Path, command: str
) -> None:
    file = PINNED / "Baseline.txt"
    done = benchkit(command, f"a={file}", f"b={file}", cwd=tmp_path)
    assert done.returncode == 3
    output = done.stdout + done.stderr
    assert f"{file} as 'b': this file already counts as 'a'; the same file cannot be" in output


def test_one_file_under_two_labels_leaves_the_other_variants(tmp_path: Path) -> None:
    files = {"a": "Baseline.txt", "b": "Baseline.txt", "c": "OTel_Enabled.txt"}
    sides = [f"{name}={PINNED / file}" for name, file in files.items()]
    document = compare(*sides, cwd=tmp_path)
    assert document["pairs"] == [["a", "c"]]
    findings = document["findings"]
    assert isinstance(findings, list)
    (finding,) = [each for each in findings if each["code"] == "B103"]
    assert finding["message"] == (
        "this file already counts as 'a'; the same file cannot be on both sides"
    )


def test_runs_can_be_filtered_by_number_and_role(tmp_path: Path) -> None:
    done = benchkit("runs", TRACING, "--by", "run=1", "--by", "role=warmup", cwd=tmp_path)
    assert done.stdout.count("warmup") >= 5
    assert "measured" not in done.stdout.split("\n", 3)[3]


def test_link_and_device_pipe_are_written_to_but_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("")
    (tmp_path / "real.json").chmod(0o640)
    (tmp_path / "link.json").symlink_to("real.json")
    benchkit("compare", TRACING, "-o", "link.json", cwd=tmp_path)
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").stat().st_mode & 0o777 == 0o640
    assert json.loads((tmp_path / "real.json").read_text())["format_version"] == 1
    command = f"'{sys.executable}' -m benchkit compare '{TRACING}' -o /dev/stdout | cat > got"
    subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "got").read_text(encoding="utf-8").startswith("▲ zipkin serves")


@pytest.mark.parametrize(
    ("end", "code"), [("| true", 0), (">&-", 2), ("> /dev/full", 2), ("| head -1", 0)]
)
def test_unwritable_stdout_causes_no_traceback(tmp_path: Path, end: str, code: int) -> None:
    run = f"'{sys.executable}' -m benchkit compare '{TRACING}' --format json"
    command = f"{{ {run}; echo $? >&3; }} 3>code {end}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    assert (tmp_path / "code").read_text().strip() in {str(code), "0"}


def test_json_is_ascii_in_every_locale(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchkit", "compare", TRACING, "--format", "json"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert json.loads(done.stdout.decode("ascii"))["verdict"].startswith("▲")


def test_names_in_errors_cannot_control_the_terminal(tmp_path: Path) -> None:
    for variant in ("x\x1b[31mred", "y"):
        (tmp_path / variant).mkdir()
        (tmp_path / variant / "1.txt").write_text(f"BenchmarkPing 1 {len(variant)} ns/op\n")
    done = benchkit("compare", ".", "--baseline", "nope", cwd=tmp_path)
    assert done.returncode == 3
    assert "\x1b" not in done.stderr


def test_by_splits_the_tables_by_column(tmp_path: Path) -> None:
    files = [str(PINNED / name) for name in ("Baseline.txt", "OTel_Enabled.txt")]
    done = benchkit("compare", *files, "--by", "benchmark", cwd=tmp_path)
    assert done.stdout.count("Primary metrics: benchmark Redis/") == 5


def test_ingest_is_reported_as_json(tmp_path: Path) -> None:
    (tmp_path / "junk.txt").write_text("no result")
    done = benchkit("ingest", TRACING, "junk.txt", "--format", "json", cwd=tmp_path)
    document = json.loads(done.stdout)
    outcomes = [source["outcome"] for source in document["sources"]]
    assert (outcomes.count("read"), outcomes.count("refused"), document["runs"]) == (80, 1, 80)


def test_large_inputs_are_exported_in_chunks(tmp_path: Path) -> None:
    rows = "".join(
        f"Thu Nov 20 12:00:00 2026\t1795224{i % 1000:03}\t0\t{i % 90}\t{i % 90}\t1\n"
        for i in range(380_000)  # more than is kept in memory
    )
    (tmp_path / "ab-1.tsv").write_text("starttime\tseconds\tctime\tdtime\tttime\twait\n" + rows)
    done = benchkit("export", ".", "--metric", "latency", "-o", "x.csv", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "x.csv").read_text().split("\n")
    assert sum(",latency,sample," in line for line in lines) == 380_000
    assert sum(",latency,p99," in line for line in lines) == 1


def test_repeated_benchstat_summaries_give_only_a_direction(tmp_path: Path) -> None:
    folder = FIXTURES / "benchstat"
    files = [str(path) for path in sorted(folder.glob("new-2file*"))]
    assert len(files) > 1
    (tmp_path / "r").mkdir()
    for path in files:
        (tmp_path / "r" / Path(path).name).write_bytes(Path(path).read_bytes())
    document = compare("r", "--baseline", "baseline", "--variant", "enabled", cwd=tmp_path)
    assert {row["method"] for row in rows(document)} == {"single run"}
    assert {row["verdict"] for row in rows(document)} == {"inconclusive"}


@pytest.mark.parametrize("label", [("", ""), ("base=", "otel=")])
def test_files_distinguished_by_their_stems_are_variants(
    tmp_path: Path, label: tuple[str, str]
) -> None:
    for name, variant in (("base", "none"), ("otel", "otlp")):
        text = (FIXTURES / "tracing-wrk" / variant / "wrk-1.txt").read_bytes()
        (tmp_path / f"wrk-{name}.txt").write_bytes(text)
    document = compare(f"{label[0]}wrk-base.txt", f"{label[1]}wrk-otel.txt", cwd=tmp_path)
    assert document["pairs"] == [["base", "otel"]]
    (row,) = rows(document, primary=True)
    assert row["benchmark"] == "/ping/GRM"


def test_changed_samples_option_reads_the_files_again(tmp_path: Path) -> None:
    source = str(FIXTURES / "nginx-ab")
    benchkit("ingest", source, "--no-samples", cwd=tmp_path)
    done = benchkit("ingest", source, cwd=tmp_path)
    assert "unchanged" not in done.stdout
