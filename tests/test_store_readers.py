"""Other programs read the store: the manual's examples for Polars, DuckDB and Spark are run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from documents import list_blocks

from benchkit.ingestion.commit import ingest
from benchkit.ingestion.discovery import Options
from benchkit.store import Store

ROOT = Path(__file__).resolve().parent.parent
WRK = ROOT / "fixtures" / "tracing-wrk"
#: The centres that `benchkit compare` shows for these folders.
MEDIANS = {"none": 10531.175, "otlp": 9172.865}
KEYS = ["batch", "piece"]
#: Packages that provide each program.
GROUPS = {"duckdb": "test", "polars": "test", "pyspark": "spark"}
#: Where Maven keeps the jars of Delta Lake, and the settings that tell Spark about them.
JARS = ".m2/repository/io/delta/delta-s*/{}/*.jar"
DELTA = (
    "--conf spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
    "--conf spark.sql.catalog.spark_catalog=org.apache.spark.sql.delta.catalog.DeltaCatalog",
)
#: Makes Spark's result available as JSON.
PRINT = """
import json
runs = spark.sql("SELECT batch, piece FROM runs_current").collect()
print(json.dumps([[[*row] for row in rates.collect()], [[*row] for row in runs]]))
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder with a store in which a later ingest superseded some rows."""
    store = Store(str(tmp_path / ".benchkit"))
    folder = tmp_path / "results"
    for name in ("none", "otlp"):
        shutil.copytree(WRK / name, folder / name)
    for path in (WRK / "otlp" / "wrk-1.txt", WRK / "otlp" / "wrk-2.txt"):
        ingest([str(folder)], store, Options(), jobs=1)
        shutil.copy(path, folder / "otlp" / "wrk-2.txt")  # another result, then the first again
    ingest([str(folder)], store, Options(), jobs=1)
    ingest([str(WRK / "apm")], store, Options(), jobs=1)
    store.undo()
    monkeypatch.chdir(tmp_path)
    assert count_superseded() >= 10
    return tmp_path


def find_block(program: str) -> str:
    """Return the manual's block that imports ``program``, which must be installed."""
    pytest.importorskip(program, reason=f"{program} is in the dependency group {GROUPS[program]}")
    imports = re.compile(rf"^(?:import|from) {program}\b", re.MULTILINE)
    (block,) = filter(imports.search, list_blocks("python"))
    return block


def run_block(program: str) -> dict[str, Any]:
    """Run the manual's block that imports ``program``."""
    names: dict[str, Any] = {}
    exec(find_block(program), names)  # noqa: S102 - our own manual
    return names


def list_pieces() -> list[tuple[int, int]]:
    """Return batch and piece of each row of the store that counts."""
    pieces = Store(".benchkit").pieces()
    assert pieces is not None
    return sorted(zip(*(pieces[name].to_pylist() for name in KEYS), strict=True))


def count_superseded() -> int:
    """Return the number of superseded rows in the log of runs."""
    return len(DeltaTable(".benchkit/runs").to_pyarrow_table()) - len(list_pieces())


@pytest.mark.usefixtures("here")
def test_polars_reads_the_store() -> None:
    names = run_block("polars")
    assert dict(names["rates"].iter_rows()) == pytest.approx(MEDIANS)
    assert sorted(names["runs_current"].select(KEYS).collect().rows()) == list_pieces()


@pytest.mark.usefixtures("here")
def test_duckdb_reads_the_store() -> None:
    names = run_block("duckdb")
    assert names["medians"] == pytest.approx(MEDIANS)
    keys = names["duckdb"].sql("SELECT batch, piece FROM runs_current").fetchall()
    assert sorted(keys) == list_pieces()


def run_spark(block: str, *options: str) -> tuple[dict[str, float], list[tuple[int, int]]]:
    """Run the manual's block for Spark in a separate process; return its medians and runs."""
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is no java on PATH")
    program = f"{block}\n{PRINT}"
    words = ["--conf spark.ui.enabled=false", *options, "pyspark-shell"]
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": " ".join(words)}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    medians, pieces = json.loads(done.stdout.splitlines()[-1])
    return dict(medians), sorted(map(tuple, pieces))


@pytest.mark.usefixtures("here")
def test_spark_reads_the_store() -> None:
    medians, pieces = run_spark(find_block("pyspark"))
    assert medians == pytest.approx(MEDIANS)
    assert pieces == list_pieces()


@pytest.mark.usefixtures("here")
def test_spark_reads_the_tables_with_delta_lake() -> None:
    block = find_block("pyspark")
    pytest.importorskip("delta", reason="delta-spark is in the dependency group spark")
    jars = [str(path) for path in sorted(Path.home().glob(JARS.format(version("delta-spark"))))]
    if not jars:
        pytest.skip("Maven has fetched no jar of Delta Lake: run `nox -s spark`")
    reads = re.compile(r"    reader = .*\n    reader.*\)\.create", re.MULTILINE)
    block, count = reads.subn(
        '    spark.read.format("delta").load(f".benchkit/{name}").create', block
    )
    assert count == 1
    medians, pieces = run_spark(block, "--jars", ",".join(jars), *DELTA)
    assert medians == pytest.approx(MEDIANS)
    assert pieces == list_pieces()


def test_every_file_of_the_store_has_the_same_columns(tmp_path: Path) -> None:
    """Samples are in separate files; readers that take all files at once need equal columns."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is in the dependency group test")
    store = Store(str(tmp_path / "store"))
    ingest([str(ROOT / "fixtures" / "nginx-ab" / "nginx" / "ab-small-c30-1.tsv.gz")], store)
    pattern = f"{store.url}/values/raw=*/*.parquet"
    counted = duckdb.sql(
        f"select raw, count(*), count(n) from read_parquet('{pattern}') group by raw order by raw"  # noqa: S608
    ).fetchall()
    assert [raw for raw, _, _ in counted] == ["false", "true"]
    assert counted[1][1] > 1000 > counted[1][2] == 0
    assert counted[0][2] > 0
