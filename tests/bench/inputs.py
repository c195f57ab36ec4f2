"""Inputs of any size, always the same: output of the tools, modelled on real runs.

A repository does not keep gigabytes, but it can keep a seed.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

#: Writes an input of a given size, in bytes or rows.
Maker = Callable[[Path, int], Path]
SEED = 1
VARIANTS = ("none", "otlp", "apm", "zipkin", "skywalking")
START = 1_795_218_442  # s since 1970
WRK = """\
Running 15s test @ http://127.0.0.1:8080/ping/GRM
  2 threads and 8 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     {mean:.2f}ms  847.93us  {max:.2f}ms   95.32%
    Req/Sec     5.23k   521.60     6.28k    77.67%
  Latency Distribution
     50%  {p50:.2f}us
     75%    {p75:.2f}ms
     90%    {p90:.2f}ms
     99%    {p99:.2f}ms
  {requests} requests in 15.00s, 38.50MB read
Requests/sec:  {rate:.2f}
Transfer/sec:      2.57MB
"""
#: k6's points of a request, and of an iteration, of which there is one for every two requests.
REQUEST = (
    "duration",
    "blocked",
    "connecting",
    "tls_handshaking",
    "sending",
    "waiting",
    "receiving",
)
ITERATION = ("group_duration", "data_sent", "data_received", "iteration_duration", "iterations")
CSV_HEAD = (
    "metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,"
    "name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata\n"
)


def write_reports(folder: Path, count: int) -> Path:
    """Write ``count`` reports of wrk into folders of variants."""
    chance = random.Random(SEED)  # noqa: S311 - benchmark inputs
    for number in range(count):
        slow = chance.lognormvariate(0, 0.1)
        place = folder / VARIANTS[number % len(VARIANTS)] / f"wrk-{number // len(VARIANTS) + 1}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        text = WRK.format(
            mean=slow, max=slow * 20, p50=slow * 700, p75=slow * 0.9, p90=slow * 1.2, p99=slow * 5,
            requests=150_000 + number, rate=10_000 / slow,
        )  # fmt: skip
        place.write_text(text)
    return folder


def write_until(path: Path, size: float, blocks: Iterator[str], head: str = "") -> Path:
    """Write blocks of text until they total ``size`` bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        done = out.write(head)
        while done < size:
            done += out.write(next(blocks))
    return path


def write_k6_json(path: Path, size: float) -> Path:
    """Write ``k6 run --out json`` of about ``size`` bytes."""
    names = [f"http_req_{name}" for name in REQUEST]
    head = "".join(
        f'{{"type":"Metric","data":{{"name":"{name}","type":"{kind}","contains":"{unit}",'
        f'"thresholds":[],"submetrics":null}},"metric":"{name}"}}\n'
        for name, kind, unit in (
            ("http_reqs", "counter", "default"),
            *((name, "trend", "time") for name in names),
            ("http_req_failed", "rate", "default"),
            *zip(ITERATION, ("trend", "counter", "counter", "trend", "counter"),
                 ("time", "data", "data", "time", "default"), strict=True),
        )
    )  # fmt: skip
    return write_until(path, size, _json_blocks(names), head)


def _json_blocks(names: list[str]) -> Iterator[str]:
    line = (
        '{{"metric":"{}","type":"Point","data":{{"time":"{}","value":{},"tags":{{{}}}}}}}\n'.format
    )
    for at, values, status, is_last in _requests():
        seconds, rest = divmod(at, 10**9)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
        when = f"{stamp}.{rest:09d}".rstrip("0").rstrip(".") + "Z"
        is_good = status == "200"
        tags = (
            f'"expected_response":"{str(is_good).lower()}","group":"::g1","method":"GET",'
            f'"name":"items","proto":"HTTP/1.1","scenario":"a","status":"{status}","url":"items"'
        )
        texts = [repr(round(value, 6)).removesuffix(".0") for value in values]
        points = [("http_reqs", "1"), *zip(names, texts, strict=True)]
        points.append(("http_req_failed", "01"[not is_good]))
        out = [line(name, when, value, tags) for name, value in points]
        if is_last:
            ends = (texts[0], "228", "310", texts[0], "1")
            rest_tags = '"group":"","scenario":"a"'
            out += [line(n, when, v, rest_tags) for n, v in zip(ITERATION, ends, strict=True)]
        yield "".join(out)


def write_k6_csv(path: Path, size: float) -> Path:
    """Write ``k6 run --out csv`` of about ``size`` bytes."""

    def blocks() -> Iterator[str]:
        names = [f"http_req_{name}" for name in REQUEST]
        for at, values, status, is_last in _requests():
            second, good = at // 10**9, str(status == "200").lower()
            tail = f",,,,{good},::g1,GET,items,HTTP/1.1,a,,{status},,,items,,"
            points = [("http_reqs", 1.0), *zip(names, values, strict=True)]
            points.append(("http_req_failed", float(status != "200")))
            out = [f"{name},{second},{value:.6f}{tail}\n" for name, value in points]
            if is_last:
                ends = (values[0], 228, 310, values[0], 1)
                out += [
                    f"{name},{second},{value:.6f},,,,,::g1,,,,a,,,,,,,\n"
                    for name, value in zip(ITERATION, ends, strict=True)
                ]
            yield "".join(out)

    return write_until(path, size, blocks(), CSV_HEAD)


def _requests() -> Iterator[tuple[int, list[float], str, bool]]:
    """Yield requests: ns since 1970, the times of its phases in ms, status, iteration's end."""
    rng = np.random.default_rng(SEED)
    at, count = START * 10**9, 2000
    while True:
        duration = np.exp(rng.normal(1.2, 0.6, count))
        parts = rng.random((count, 3)) * (0.01, 0.1, 0.2)
        zero = np.zeros(count)
        columns = (duration, parts[:, 0], zero, zero, parts[:, 1], duration * 0.9, parts[:, 2])
        gaps = rng.exponential(2e6, count).astype(np.int64).tolist()
        for number, values in enumerate(np.stack(columns, 1).tolist()):
            at += gaps[number]
            yield at, values, "503" if parts[number, 0] > 0.0099 else "200", number % 2 == 1


def write_gobench(path: Path, size: float, names: int = 2000, shift: int = 0) -> Path:
    """Write ``go test -bench -benchmem -count N`` of about ``size`` bytes."""

    def blocks() -> Iterator[str]:
        rng = np.random.default_rng(SEED + shift)
        typical = np.exp(np.random.default_rng(7).uniform(4, 14, names))
        fields = [
            f"BenchmarkOp{i // 8}/size={64 << i % 8}/mode={'ab'[i % 2]}-8" for i in range(names)
        ]
        while True:
            values = (typical * np.exp(rng.normal(0, 0.03, names))).tolist()
            yield "".join(
                f"{name}\t{int(1e9 / v) + 1:8d}\t{v:12.1f} ns/op\t{64e3 / v:8.2f} MB/s"
                f"\t{int(v) * 8:8d} B/op\t{int(v) % 97:8d} allocs/op\n"
                for name, v in zip(fields, values, strict=True)
            )

    head = "goos: linux\ngoarch: amd64\npkg: example.com/x/y\ncpu: AMD EPYC 7B13\n"
    return write_until(path, size, blocks(), head)


def write_ab(path: Path, rows: int, shift: int = 0) -> Path:
    """Write ``ab -g`` with a number of requests, sorted by their time as ab does."""
    rng = np.random.default_rng(SEED + shift)
    total = np.sort(np.exp(rng.normal(2, 0.8, rows)).astype(int))
    connect = rng.integers(0, 3, rows)
    seconds = START + rng.integers(0, 600, rows)
    stamps = {
        s: time.strftime("%a %b %d %H:%M:%S %Y", time.gmtime(s))
        for s in np.unique(seconds).tolist()
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:
        out.write("starttime\tseconds\tctime\tdtime\tttime\twait\n")
        for s, c, t in zip(seconds.tolist(), connect.tolist(), total.tolist(), strict=True):
            out.write(f"{stamps[s]}\t{s}\t{c}\t{t}\t{t + c}\t{t}\n")
    return path


def write_vegeta_csv(path: Path, rows: int) -> Path:
    """Write ``vegeta encode --to csv`` with a number of results, without bodies."""
    rng = np.random.default_rng(SEED)
    path.parent.mkdir(parents=True, exist_ok=True)
    latency = np.exp(rng.normal(14.5, 0.5, rows)).astype(int).tolist()
    with path.open("w", encoding="utf-8") as out:
        for number, value in enumerate(latency):
            at = START * 10**9 + number * 400_000
            out.write(f"{at},200,{value},0,310,,,load,{number},GET,http://127.0.0.1:8080/items,\n")
    return path
