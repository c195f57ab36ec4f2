"""Passwords of commands within other texts are redacted, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scaling import assert_linear

from benchkit.redaction import redact_label, redact_message, redact_quote, redact_text

SECRET = "s3cr3tvalue"  # noqa: S105 - what must not be found
REDACTIONS = (redact_text, redact_message, redact_quote, redact_label)
HOLDING = (
    f"mysql -h db -p{SECRET} shop",
    f"mysqldump --single-transaction -p'{SECRET} {SECRET}' shop",
    f"sshpass -p {SECRET} ssh -p 2222 host wrk",
    f"sshpass -v -p{SECRET} ssh host",
    f"redis-cli -h db -a {SECRET} ping",
    f"valkey-benchmark -a {SECRET}",
    f"mongosh -u me -p {SECRET}",
    f"docker login -u me -p {SECRET} registry",
    f"sqlcmd -U sa -P {SECRET}",
    f"ldapsearch -x -w {SECRET}",
    f"smbclient -U me%{SECRET} //host/share",
    f"curl -s -u me:{SECRET} http://h/",
    f"hey -n 10 -a me:{SECRET} http://h/",
    f"ab -n 10 -A me:{SECRET} http://h/",
    f"curl --proxy-header 'X-Any: {SECRET} {SECRET}' http://h/",
    f"wrk -H X-Any:{SECRET} http://h/",
    f"tool --password {SECRET}",
    f"tool --jwt {SECRET}",
    f"tool --license {SECRET}",
    f"bash -lc 'mysql -p{SECRET} shop'",
)
PLAIN = (
    "ab -p file.txt -T text/plain http://h/",
    "ab -p body.json -n 10 http://h/a",
    "docker run -p 8080:80 nginx",
    "ssh -p 2222 host",
    "the service listens on -p 8080",
    "mkdir -p results/none",
    "go test -bench . -p 4",
    "mysql is slow with -p",
    "curl -u me http://h/",
    "wrk -H 'Host: a' -H 'Accept: text/html' http://h/",
    "--token is required",
    "the option --password expects a value",
    "run with --max-tokens 128 and --auth basic",
    "sort -u names | head -n 3",
)


@pytest.mark.parametrize("redact", REDACTIONS)
@pytest.mark.parametrize("command", HOLDING)
@pytest.mark.parametrize("text", ["{}", "error: `{}` failed with 1", "+ {}", "Ran {}, twice"])
def test_password_of_a_command_in_a_text_is_redacted(
    redact: Callable[[str], str], command: str, text: str
) -> None:
    shown = redact(text.format(command))
    assert SECRET not in shown
    assert redact is redact_label or redact(shown) == shown  # a mark in a name is marked again


@pytest.mark.parametrize("text", PLAIN)
def test_options_without_secrets_are_kept(text: str) -> None:
    assert redact_text(text) == redact_message(text) == text


@pytest.mark.parametrize("text", ["ab -p file.txt http://h/", "docker run -p 8080:80 nginx"])
def test_ports_and_files_in_tool_output_are_kept(text: str) -> None:
    assert redact_quote(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("mysql ", "mysql -", "curl -u", "mysql a ", "mysql '", "--password ", "-H 'a:"),
        *("sshpass -v ", "mysql 'a b' ", "docker login ", "smbclient -U a"),
        *("docker run ", "docker run -e ", "export a", "env a=", "password: a", "whsec_", "$1$a"),
        *("<password>", "<password", "MTk4", "--a \\\n", "a=>", "cookie: a", "aws_secret_key "),
    ],
)
def test_adversarial_text_takes_linear_time(text: str) -> None:
    assert_linear(lambda size: text * (size // len(text)), redact_text, 60_000)
