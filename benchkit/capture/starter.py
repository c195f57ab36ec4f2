"""A first plan for a tool: it works as it is, and can be completed later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from shlex import quote
from urllib.parse import urlsplit

from benchkit.capture.fields import Fields
from benchkit.capture.plan import read_ready
from benchkit.config.files import write_key, write_string
from benchkit.errors import ConfigError
from benchkit.parsers import registry
from benchkit.parsers.base import FirstPlan
from benchkit.redaction import redact_text
from benchkit.regexes import regex

_URL, _FIELD = "http://127.0.0.1:8080/", "{variant}"
_TIMEOUT = 'timeout = "10m"  # a command that takes longer is stopped'
#: Characters of a URL that the shell must not split, and those that would end other quotes.
_WORD, _QUOTES = regex(r"(?<!\S)\{\}(?!\S)"), str.maketrans({"'": "%27", '"': "%22", "\\": "%5C"})
_SERVE = "python3 -m http.server 8080 --bind 127.0.0.1"


@dataclass(frozen=True, slots=True)
class Subject:
    """The target of the measurement, as far as it is known.

    Parameters
    ----------
    url : str
        The address of a service.
    serve : str
        The command that starts it.
    """

    url: str = ""
    serve: str = ""
    variants: Sequence[str] = ()


def list_plans() -> dict[str, FirstPlan]:
    """Return the plans of tools by their names on the command line."""
    return {
        (*tool.executables, tool.name)[0]: tool.plan for tool in registry.all_tools() if tool.plan
    }


def write_plan(plan: FirstPlan, subject: Subject = Subject()) -> str:
    """Write a commented plan.

    Raises
    ------
    ConfigError
        If the measured command does not suit the tool, or is only partly specified.

    Examples
    --------
    >>> print(write_plan(FirstPlan("sleep {variant}", variants=("1", "2"))))
    # Measure the variants alternately until every primary metric has a verdict:
    #   benchkit capture --plan plan.toml --until decided
    #   benchkit compare results --baseline 1
    <BLANKLINE>
    # {variant} stands for the variant's name.
    command = '''sleep {variant}'''
    timeout = "10m"  # a command that takes longer is stopped
    <BLANKLINE>
    [variants.1]
    [variants.2]
    <BLANKLINE>
    """
    _check(plan, subject)
    ready = _locate(plan, subject)
    host, _, port = ready.rpartition(":")
    url = ready.translate(_QUOTES)
    word = _FIELD.join(part and quote(part) for part in url.split(_FIELD))
    command, warmup, serve = (
        _WORD.sub(lambda _: word, words)
        .replace("{}", url)
        .replace("{host}", host.strip("[]"))
        .replace("{port}", port)
        for words in (plan.command, plan.warmup, plan.serve)
    )
    plan = replace(plan, serve=serve, ready=ready)
    variants = subject.variants or plan.variants
    lines = [
        "# Measure the variants alternately until every primary metric has a verdict:",
        "#   benchkit capture --plan plan.toml --until decided",
        f"#   benchkit compare results --baseline {quote(variants[0])}",
        "",
    ]
    if warmup:
        lines += [*_describe_service(plan, subject), f"warmup = {_quote(warmup)}"]
    else:
        lines.append("# {variant} stands for the variant's name.")
    tables = (f"[variants.{write_key(name)}]" for name in variants)
    return "\n".join([*lines, f"command = {_quote(command)}", _TIMEOUT, "", *tables]) + "\n"


def _check(plan: FirstPlan, subject: Subject) -> None:
    """Refuse options that do not result in a useful plan."""
    if not plan.warmup and (subject.url or subject.serve):
        where = "--url" if subject.url else "--serve"
        raise ConfigError("a plan for this tool does not measure a service", where=where)
    if subject.serve and not subject.url and not plan.ready:
        hint = "add --url with the address that answers as soon as the service is up"
        raise ConfigError("cannot tell when the service is ready", where="--serve", hint=hint)
    if not subject.variants:
        return
    if len(set(subject.variants)) < 2:
        raise ConfigError("a comparison needs two variants or more", where="--variant")
    commands = (subject.url, subject.serve or plan.serve, plan.command)
    if not any(_FIELD in words for words in commands):
        hint = f'write {_FIELD} where they differ, e.g. --serve "./server --mode {_FIELD}"'
        raise ConfigError(
            "no command contains the name of the variant", where="--variant", hint=hint
        )


def _locate(plan: FirstPlan, subject: Subject) -> str:
    """Return where the service answers: its whole URL, or ``host:port`` without HTTP."""
    url, scheme = subject.url or plan.ready or _URL, plan.ready.partition("://")[0]
    if scheme and url.startswith(f"{scheme}://"):
        url = urlsplit(url).netloc
    if scheme and not {"/", "@"}.isdisjoint(url):
        what = f"expected {scheme}://host:port, got {redact_text(url)!r}"
        password = "; a password belongs in the commands of the plan" if "@" in url else ""
        raise ConfigError(what, where="--url", hint=f'write "{plan.ready}"{password}')
    read_ready(url, Fields(""), "--url")
    if not scheme:  # for HTTP, because tools need a scheme and a path
        url = url if "://" in url else f"http://{url}"
        parts = urlsplit(url)
        url = url if parts.path else parts._replace(path="/").geturl()
    return url


def _describe_service(plan: FirstPlan, subject: Subject) -> Iterator[str]:
    if not subject.url or subject.serve:
        yield "# For each run: start the service, measure as soon as `ready` answers, then stop it."
        yield '# {variant} stands for the variant\'s name, as in "./server --mode {variant}".'
        yield f"serve = {_quote(subject.serve or plan.serve or _SERVE)}"
    else:
        yield '# The service is already running; add serve = "…" to start and stop it for each run.'
    yield f"ready = {_quote(plan.ready)}"


def _quote(text: str) -> str:
    """Write a text as TOML, unescaped if possible."""
    is_plain = "'''" not in text and text.isprintable() and not text.endswith("'")
    return f"'''{text}'''" if is_plain else write_string(text)
