"""Reports without a load model: their measurements are judged, or the gate reports them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchkit.cli import run

REPORT = """{command}
{head}Thread Stats   Avg      Stdev     Max   +/- Stdev
Latency   245.00us   12.22us 561.00us   53.88%
Req/Sec     4.08k   204.93     9.49k    86.63%
{count} requests in 10.10s, 47.18MB read
Requests/sec:   {rate:.2f}
Transfer/sec:     4.67MB

"""
HEAD = """Running 10s test @ http://10.0.0.1:8888
{size} threads and {size} connections
"""


def write_report(size: int, rate: float, command: str, *, has_head: bool) -> str:
    head = HEAD.format(size=size) if has_head else ""
    command = command.format(size=size)
    return REPORT.format(command=command, head=head, rate=rate, count=int(rate * 10.1))


@pytest.mark.parametrize(
    ("command", "headless", "code", "message"),
    [
        ("./wrk -t{size} -c{size} http://10.0.0.1:8888", {"new"}, 1, "fewer requests/s"),
        ("./wrk -t{size} -c{size} http://10.0.0.1:8888", {"base", "new"}, 1, "fewer requests/s"),
        ("Two:", {"base", "new"}, 4, "the sides have no primary metric in common"),
    ],
)
def test_report_without_its_first_lines_is_judged_or_named(
    command: str,
    headless: set[str],
    code: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its requests/s were secondary, and the gate passed on the remaining rows."""
    monkeypatch.chdir(tmp_path)
    for name, factor in (("base", 1.0), ("new", 0.8)):
        (tmp_path / name).mkdir()
        for number in range(1, 7):
            rate = 8160.0 + 3 * number + len(name)
            text = write_report(2, factor * rate, command, has_head=name not in headless)
            text += write_report(4, 2 * rate, "./wrk -t4 -c4 http://10.0.0.1:8888", has_head=True)
            (tmp_path / name / f"{number}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "benchkit.toml").write_text("schema = 1\n[policy]\non_damaged = 'warn'\n")
    assert run(["gate", "base", "new", "--baseline", "base"]) == code
    assert message in capsys.readouterr().out
