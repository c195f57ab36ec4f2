"""Two sides on two hosts are two machines, unless their names show that this is intended."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from audit_inputs import FIXTURES

import benchkit as bk

#: Reports that name their host, one per tool that records it.
REPORTS = {
    "wrk": ("tracing-wrk/none/wrk-1.txt", re.compile(r"127\.0\.0\.1")),
    "ab": ("nginx-ab/nginx/ab-c20-1.txt", re.compile(r"(?<=Hostname:        )\S+")),
    "autocannon": ("autocannon/none-1.json", re.compile(r'(?<="url":"http://)[^:/"]+')),
    "autocannon text": ("autocannon/text.txt", re.compile(r"(?<=@ http://)[^:/\s]+")),
}


def find(folder: Path, tool: str, hosts: dict[str, str]) -> list[str]:
    """Return the messages of B211 on variants at hosts, two runs each."""
    name, pattern = REPORTS[tool]
    text = (FIXTURES / name).read_text(encoding="utf-8")
    assert pattern.search(text)
    for place, (variant, host) in enumerate(hosts.items()):
        (folder / variant).mkdir()
        for number in (1, 2):
            report = vary(pattern.sub(host, text), 2 * place + number)
            (folder / variant / f"{number}{Path(name).suffix}").write_text(report)
    return list_messages(folder, next(iter(hosts)))


def vary(text: str, number: int) -> str:
    """Return a report whose times are a few thousandths longer, as in another run."""
    return re.sub(r"\d+\.\d{2}\b(?!%)", lambda m: f"{float(m[0]) * (1 + number / 500):.2f}", text)


def list_messages(folder: Path, baseline: str) -> list[str]:
    """Compare all variants of a folder, and return the messages of B211."""
    findings = bk.load(folder).compare(baseline=baseline).findings
    return [finding.message for finding in findings if finding.code == "B211"]


@pytest.mark.parametrize("tool", REPORTS)
def test_two_hosts_are_named(tool: str, tmp_path: Path) -> None:
    (message,) = find(tmp_path, tool, {"before": "host-a", "after": "host-b"})
    assert message.startswith(
        "the load for 'before' went to host-a, the load for 'after' to host-b: "
    )


@pytest.mark.parametrize(
    "hosts",
    [
        {"main": "10.0.0.7", "pr": "10.0.0.8"},
        {"main": "localhost", "pr": "app.example.com"},
        {"app-before": "app", "app-after": "app2"},
        {"v1": "10.0.0.1", "v2": "10.0.0.2"},
    ],
)
def test_hosts_missing_from_the_names_are_named(hosts: dict[str, str], tmp_path: Path) -> None:
    assert len(find(tmp_path, "wrk", hosts)) == 1


@pytest.mark.parametrize(
    "hosts",
    [
        {"main": "host-a", "pr": "host-a"},
        {"main": "localhost", "pr": "127.0.0.1"},
        {"main": "Host-A", "pr": "host-a"},
        {"host-a": "host-a", "host-b": "host-b"},
        {"10.0.0.7": "10.0.0.7", "10.0.0.8": "10.0.0.8"},
        {"nginx-host-a": "host-a.example.com", "nginx-host-b": "host-b.example.com"},
        {"a": "host-a", "b": "host-b"},
        {"none": "app", "otlp": "app-otlp"},
        {"main": "app.example.com", "pr": "pr.preview.example.com"},
    ],
)
def test_same_host_and_hosts_in_the_names_are_no_finding(
    hosts: dict[str, str], tmp_path: Path
) -> None:
    assert not find(tmp_path, "wrk", hosts)


def test_ports_of_one_host_are_one_machine(tmp_path: Path) -> None:
    assert not find(tmp_path, "wrk", {"main": "10.0.0.7:8080", "pr": "10.0.0.7:8081"})


def test_side_without_host_names_yields_no_finding(tmp_path: Path) -> None:
    text = (FIXTURES / "tracing-wrk/none/wrk-1.txt").read_text(encoding="utf-8")
    for variant, report in (("main", text), ("pr", vary(text, 1).partition("\n")[2])):
        (tmp_path / variant).mkdir()
        (tmp_path / variant / "get.txt").write_text(report)
    (tmp_path / "run.toml").write_text('benchmark = "get"\n')
    assert not list_messages(tmp_path, "main")
