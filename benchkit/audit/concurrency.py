"""Rules about closed loops: requests in flight against connections, and hidden stalls.

Rate times mean latency is the number of requests in flight (Little's law), and a closed loop cannot
have more of them than connections.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchkit.audit.facts import (
    Evidence,
    Name,
    Number,
    Sheet,
    count_of,
    name_side,
    name_worst,
)
from benchkit.derived.record import Run
from benchkit.errors import Finding
from benchkit.parsers import registry
from benchkit.schema import Side
from benchkit.units import format_number, format_quantity

#: An excess over the connections, beyond rounding, that our own rounding cannot explain.
_TOO_MANY = 1.01
#: Connections that wait for the service less than this share of their time are idle.
_TOO_FEW = 0.9
#: A maximum that exceeds the last percentile by this factor is a stall, not a tail.
_STALL = 10.0
#: A percentile hides a stall if an open loop would have had one larger by this factor.
_HIDDEN = 2.0
_TAILS = ("p99.9", "p99")


@dataclass(frozen=True, slots=True)
class _Flight:
    """Requests in flight by Little's law, with bounds from rounding."""

    sheet: Sheet
    clients: int
    rate: float
    mean: float
    slack: float

    @property
    def share(self) -> float:
        """Requests in flight for each connection."""
        return self.rate * self.mean / self.clients

    @property
    def is_over(self) -> bool:
        """Whether there are more than connections, even after allowing for rounding."""
        return self.share * (1 - self.slack) > _TOO_MANY

    @property
    def is_under(self) -> bool:
        """Whether connections are idle for much of the time, even after allowing for rounding."""
        return self.share * (1 + self.slack) < _TOO_FEW


def find_impossible_means(evidence: Evidence) -> Iterator[Finding]:
    """B310, B311: rate times mean latency is above the number of connections, or far below."""
    for place, flights in _find_flights(evidence):
        over = [flight for flight in flights if flight.is_over]
        under = [flight for flight in flights if flight.is_under]
        if over:
            made_up = any(_has_made_up_samples(flight.sheet.run) for flight in over)
            yield (_report_corrected if made_up else _report_over)(place, over, len(flights))
        if under:
            yield _report_under(place, under, len(flights))


def _has_made_up_samples(run: Run) -> bool:
    """Return whether the tool added samples; a user's table has only the name of its tool."""
    return (run.corrected or registry.tool(run.tool).corrected) == "approximate"


def find_hidden_stalls(evidence: Evidence) -> Iterator[Finding]:
    """B318: a stall so long that it would have raised the last percentile of an open loop."""
    closed = [sheet for sheet in evidence.loads if sheet.run.load_model == "closed"]
    for place, sheets in evidence.by_side(closed).items():
        stalls = [stall for sheet in sheets if (stall := _find_stall(sheet))]
        if stalls:
            yield _report_stalls(place, stalls, len(sheets))


def _find_flights(evidence: Evidence) -> Iterator[tuple[Side, list[_Flight]]]:
    closed = [sheet for sheet in evidence.loads if sheet.run.load_model == "closed"]
    for place, sheets in evidence.by_side(closed).items():
        flights = []
        for sheet in sheets:  # both from one source if possible: forms may belong to two runs
            forms = (*evidence.by_run.get(sheet.run, ()), sheet)
            flights += [flight for form in forms if (flight := _measure_flight(form))][:1]
        if flights:
            yield place, flights


def _measure_flight(sheet: Sheet) -> _Flight | None:
    rate, mean = _throughput(sheet)
    clients = sheet.run.clients
    if not (rate and mean and clients and rate.value and mean.value):
        return None
    if any(sheet.of("failures", "count").values()):  # neither number includes their time
        return None
    return _Flight(sheet, clients, rate.value, mean.value, rate.slack + mean.slack)


def _throughput(sheet: Sheet) -> tuple[Number | None, Number | None]:
    """Return rate and mean time of the operation that a connection repeats."""
    if registry.tool(sheet.run.tool).iterates:
        return sheet.get("iteration_rate", "mean"), sheet.get("iteration_time", "mean")
    return sheet.get("request_rate", "mean"), sheet.get("latency", "mean")


def _report_corrected(side: Side, over: Sequence[_Flight], total: int) -> Finding:
    worst = max(over, key=lambda flight: flight.share)
    plain = worst.clients / worst.rate
    return Finding(
        code="B310",
        severity="warning",
        where=name_side(side),
        message=f"{worst.sheet.run.tool}'s mean latency is too high: it implies "
        f"{_write_span(over)} requests in flight on {_connections(worst)} "
        f"({count_of(over, total)}). In run {worst.sheet.run.run}, connections ÷ rate gives "
        f"{format_quantity(plain, 's')}, but the mean is {format_quantity(worst.mean, 's')}, "
        f"because {worst.sheet.run.tool} adds samples for late requests",
        remedy="use connections ÷ rate as the mean, or compare rates",
        numbers={
            "in_flight": worst.share * worst.clients,
            "connections": worst.clients,
            "mean": worst.mean,
            "corrected_mean": plain,
            "runs": len(over),
        },
    )


def _report_over(side: Side, over: Sequence[_Flight], total: int) -> Finding:
    worst = max(over, key=lambda flight: flight.share)
    return Finding(
        code="B311",
        severity="warning",
        where=name_side(side),
        message=f"rate × mean latency gives {_write_span(over)} requests in flight on "
        f"{_connections(worst)} ({count_of(over, total)}): these numbers contradict each other",
        remedy="check that rate, mean and connections come from one run",
        numbers=_numbers(worst, over),
    )


def _report_under(side: Side, under: Sequence[_Flight], total: int) -> Finding:
    worst = min(under, key=lambda flight: flight.share)
    return Finding(
        code="B311",
        severity="info",
        where=name_side(side),
        message=f"only {_write_span(under)} of {worst.clients} connections were waiting for the "
        f"service ({count_of(under, total)}): a rate limit, a pool or the generator limited "
        "the load",
        remedy="treat the rate as the offered load, not as the service's capacity; watch the "
        "generator's CPU",
        numbers=_numbers(worst, under),
    )


def _numbers(worst: _Flight, flights: Sequence[_Flight]) -> dict[str, float]:
    return {
        "in_flight": worst.share * worst.clients,
        "connections": worst.clients,
        "runs": len(flights),
    }


def _connections(flight: _Flight) -> str:
    return f"{flight.clients} connection{'' if flight.clients == 1 else 's'}"


def _write_span(flights: Sequence[_Flight]) -> str:
    sizes = [flight.share * flight.clients for flight in flights]
    low, high = (format_number(size, 2) for size in (min(sizes), max(sizes)))
    return low if low == high else f"{low} to {high}"


@dataclass(frozen=True, slots=True)
class _Stall:
    """The longest wait of a run, and the percentile that a steady stream would have had.

    If all connections wait from 0 to ``most``, requests due meanwhile wait for the rest of it. The
    share of the run during which the remaining wait is longer than ``open_quantile`` equals the
    share of the tail.
    """

    sheet: Sheet
    tail: str
    quantile: float
    at_most: float  # the quantile before rounding: a tool may print 0
    most: float
    open_quantile: float


def _find_stall(sheet: Sheet) -> _Stall | None:
    tail = next((stat for stat in _TAILS if sheet.get("latency", stat)), None)
    most = sheet.get("latency", "max")
    duration = sheet.run.duration
    if tail is None or most is None or not duration:
        return None
    quantile = sheet.numbers[Name("latency", tail, "")]
    beyond = 1 - float(tail[1:]) / 100
    at_most = quantile.value + quantile.step
    steady = most.value - beyond * duration
    if not at_most or most.value < _STALL * at_most or steady < _HIDDEN * at_most:
        return None
    return _Stall(sheet, tail, quantile.value, at_most, most.value, steady)


def _report_stalls(side: Side, stalls: Sequence[_Stall], total: int) -> Finding:
    worst = max(stalls, key=lambda stall: stall.open_quantile / stall.at_most)
    about = "" if worst.quantile else "at most "
    quantile = about + format_quantity(worst.quantile or worst.at_most, "s")
    return Finding(
        code="B318",
        severity="warning",
        where=name_side(side),
        message=f"{worst.tail} is {quantile} but the maximum is "
        f"{format_quantity(worst.most, 's')} ({name_worst(worst.sheet.run, stalls, total)}): "
        "if all connections stalled that long, a steady stream of requests would have had a "
        f"{worst.tail} of at least {format_quantity(worst.open_quantile, 's', 2)}",
        remedy="a closed loop sends nothing while it waits: measure tail latency at a fixed rate "
        "(wrk2 -R, vegeta -rate, k6 constant-arrival-rate)",
        numbers={"quantile": worst.quantile, "max": worst.most, "open": worst.open_quantile},
    )
