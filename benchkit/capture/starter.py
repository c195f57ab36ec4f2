"""A first plan for a load tool, go test or hyperfine: it runs as it is, and is then filled in."""

from __future__ import annotations

_URL = "http://127.0.0.1:8080/"
_SERVICE = f"""\
# The service: started for each run, measured as soon as `ready` answers, and stopped.
# {{variant}} stands for the variant's name, as in "./server --mode {{variant}}".
serve = "python3 -m http.server 8080 --bind 127.0.0.1"
ready = "{_URL}"
"""
_K6 = f'import http from "k6/http"; export default () => {{ http.get("{_URL}"); }}'
#: By tool: what is measured, what warms it up, and the two variants.
_LOADS = {
    "wrk": ("wrk -t2 -c8 -d10s --latency {}", "wrk -t2 -c8 -d3s {}"),
    "k6": (
        f"echo '{_K6}' | k6 run --vus 8 --duration 10s -",
        f"echo '{_K6}' | k6 run --vus 8 --duration 3s -",
    ),
    "vegeta": (
        "echo 'GET {}' | vegeta attack -rate=200/s -duration=10s | vegeta report -type=json",
        "echo 'GET {}' | vegeta attack -rate=200/s -duration=3s | vegeta report -type=json",
    ),
    "ab": ("ab -k -c 8 -n 20000 {}", "ab -k -c 8 -n 5000 {}"),
}
_OTHERS = {
    "go": ("env {variant} go test -run '^$' -bench . ./...", ("GOGC=100", "GOGC=200")),
    "hyperfine": (
        "hyperfine --style none --warmup 1 --runs 10 --export-json - 'sleep {variant}'",
        ("0.10", "0.11"),
    ),
}
TOOLS = (*_LOADS, *_OTHERS)


def write_plan(tool: str) -> str:
    """Write a commented plan.

    Examples
    --------
    >>> print(write_plan("go"))
    # Measure the variants in turn until each primary metric is decided:
    #   benchkit capture --plan plan.toml --until decided
    #   benchkit compare results
    <BLANKLINE>
    # {variant} stands for the variant's name.
    command = '''env {variant} go test -run '^$' -bench . ./...'''
    <BLANKLINE>
    [variants."GOGC=100"]
    [variants."GOGC=200"]
    <BLANKLINE>
    """
    lines = [
        "# Measure the variants in turn until each primary metric is decided:",
        "#   benchkit capture --plan plan.toml --until decided",
        "#   benchkit compare results",
        "",
    ]
    if tool in _LOADS:
        command, warmup = (words.replace("{}", _URL) for words in _LOADS[tool])
        names: tuple[str, ...] = ("before", "after")
        lines += [*_SERVICE.splitlines(), f"warmup = '''{warmup}'''"]
    else:
        command, names = _OTHERS[tool]
        lines += ["# {variant} stands for the variant's name."]
    lines += [f"command = '''{command}'''", "", *(f'[variants."{name}"]' for name in names)]
    return "\n".join(lines) + "\n"
