"""The explanation of a failed run shows no secrets of the tool output it quotes."""

from __future__ import annotations

from pathlib import Path

import pytest
from secret_shapes import SECRET

from benchkit.cli import run

LINES = (
    f"panic: dial postgres://app:{SECRET}@db/prod: refused",
    f"panic: Authorization: Bearer {SECRET}",
    f"panic: api_key: {SECRET}",
    f'panic: {{"password":"{SECRET}"}}',
    f"panic: token={SECRET}",
    f"panic: no login of bob with password '{SECRET}'",
    f'panic: no login of bob with password "{SECRET}"',
    f"fatal error: token={SECRET}",
    f"--- FAIL: BenchmarkLogin/password={SECRET}",
    f"FAIL\tp/token={SECRET} [build failed]",
    f"make: *** [Makefile:3: bench TOKEN={SECRET}] Error 1",
    f"make: *** [Makefile:3: curl -u bob:{SECRET} https://h] Error 1",
    f"make: *** [Makefile:3: curl --proxy-user=bob:{SECRET} https://h] Error 1",
)


@pytest.mark.parametrize("line", LINES)
def test_quoted_line_of_a_failed_run_contains_no_secret(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ex").mkdir()
    result = "BenchmarkX-8 1000 10{} ns/op\n"
    main, pr, store = tmp_path / "ex/main.txt", tmp_path / "ex/pr.txt", tmp_path / "store"
    main.write_text("".join(map(result.format, range(6))), encoding="utf-8")
    pr.write_text(
        f"goos: linux\npkg: x\n{result.format(0)}{line}\nFAIL\tx 1.0s\n", encoding="utf-8"
    )
    outputs = "--comment", str(tmp_path / "c.md"), "--junit", str(tmp_path / "j.xml")
    run(["gate", str(main.parent), "--github", *outputs])
    run(["ingest", str(main.parent), "--store", str(store)])
    run(["check", "--store", str(store)])
    run(["runs", "--store", str(store), "--format", "json"])
    shown = "".join(capsys.readouterr())
    assert ":4: " in shown
    shown += (tmp_path / "c.md").read_text("utf-8") + (tmp_path / "j.xml").read_text("utf-8")
    assert SECRET not in shown
    files = [path for path in store.rglob("*") if path.is_file()]
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]
