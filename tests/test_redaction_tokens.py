"""Secrets recognised by shape are redacted in every text; lookalikes are kept."""

from __future__ import annotations

import shlex
from collections.abc import Callable

import pytest
from secret_shapes import SECRET, TOKENS

from benchkit.redaction import (
    redact,
    redact_command,
    redact_label,
    redact_message,
    redact_name,
    redact_origin,
    redact_quote,
    redact_text,
)

REDACTIONS = (redact_text, redact_message, redact_quote, redact_name, redact_label, redact_origin)
ENDINGS = {"an arrow": "'", "an arrow behind quotes": "'", "an element": "</password>"}
MESSAGES = ("a message", "a secret of a message", "a pass of a message")
HEX = "0123456789abcdef" * 2


@pytest.mark.parametrize("name", TOKENS)
@pytest.mark.parametrize("show", REDACTIONS)
def test_secret_is_recognised_in_every_text(show: Callable[[str], str], name: str) -> None:
    shown = show(f"failed: {TOKENS[name]}{ENDINGS.get(name, '')}, again")
    assert TOKENS[name][-9:] not in shown
    assert (
        "again" in shown
        or name in {"a cookie", "AWS behind its name in capitals", "Spanish", "header of Azure"}
        or (show is not redact_message and name in MESSAGES)
    )


@pytest.mark.parametrize("show", [redact_message, redact_label])
@pytest.mark.parametrize(
    "text",
    [
        *(HEX, HEX + "01234567", HEX * 2, f"sha256:{HEX * 2}", f"commit {HEX}01234567 of main"),
        *("BenchmarkEncode/SK_large-8", "key-value-store", "SK hynix", "tskey-rotation", "squ_rel"),
        *("fm2_some_long_benchmark_name_of_mine", "whsec_verification_benchmark_of_a_signature"),
        *(
            "glsa_benchmark_of_all",
            "hvb.json",
            "dp.pt.first_of_the_kind_of_mine",
            "$1$2",
            "cost $6$",
        ),
        "org.openjdk.MyBenchmarkWithLongName1.simple.parameterizedInvocationNow",
        *("xai-benchmark-of-all-the-models-of-mine1", "r8_4", "gsk_hash_map_of_strings_1", "sl.9"),
        *("phc_winner_of_password_hashing_2015", "pplx-1", "LTAIR", "sb_secret_rotation_benchmark"),
        "hmac=sha256",
        *("<token> and <password> are required", "passport=1", "a => b", "x => 'y'"),
        *("export PATH=/usr/bin", "env GOMAXPROCS=4 go", "env DEBUG=false tool", "export A=$B"),
        "the environment sets A=b",
    ],
)
def test_text_that_looks_like_a_secret_is_kept(show: Callable[[str], str], text: str) -> None:
    assert show(text) == text


@pytest.mark.parametrize(
    "text",
    [
        *("password: 12.3ms", "Password: no result", "password: r/go-1.txt: has no runs"),
        *("benchmark Cookie: no result", "docker run -e THREADS=4 wrk", "curl -b cookies.txt /a"),
        *(
            "--- PASS: TestSum1234 (0.00s)",
            "secret: 100000 ns/op",
            "pass: 3 of 4",
            "pass: r/go-1.txt",
        ),
        *("7z a -mx9 a.7z", "openssl speed -evp aes-128-cbc", "token: 100000 ns/op"),
    ],
)
def test_message_about_a_name_is_kept(text: str) -> None:
    assert redact_message(text) == text


@pytest.mark.parametrize("show", [redact_text, redact_message, redact_quote])
@pytest.mark.parametrize(
    "command",
    [
        *(
            "export T={}; ./x",
            "env A={} ./x",
            "docker run --rm -e A={} img",
            "curl -b s={} http://h",
        ),
        *("openssl enc -k {}", "7z x -p{} a.7z", "kubectl create secret x --from-literal=a={}"),
        *(
            "aws configure set aws_secret_access_key {}",
            "tool --password \\\n {}",
            "x --password $'{}'",
        ),
        "password=$'{}'",
    ],
)
def test_secret_of_a_command_in_prose_is_redacted(show: Callable[[str], str], command: str) -> None:
    assert SECRET not in show(f"error: `{command.format(SECRET)}` failed")


@pytest.mark.parametrize("show", [redact_text, redact_message, redact_quote])
def test_colon_after_a_secret_is_kept(show: Callable[[str], str]) -> None:
    assert show(f"git:HEAD:password={SECRET}: unknown") == "git:HEAD:password=REDACTED: unknown"
    assert show(f"password={SECRET}:9:{SECRET}") == "password=REDACTED"


PADDED = ("c2VjcmV0cGFzczE=", "dXNlcjpwYXNzd29yZA==", "Zm9v====")


@pytest.mark.parametrize("word", PADDED)
@pytest.mark.parametrize(
    "command",
    [
        *("k6 run -e {} x.js", "openssl enc -k {}", "tool {}", "tool -x {}", "tool --x={}"),
        *("tool --data {}", "vegeta attack -body {}", "wrk http://h/ -- {}", "powershell -enc {}"),
        *("bash -c 'echo {} | base64 -d'", "env A={} tool", "docker run -e a.b={} img"),
    ],
)
def test_base64_padding_is_not_an_assignment(command: str, word: str) -> None:
    shown = (
        shlex.join(redact(shlex.split(command.format(word)))),
        redact_command(command.format(word)),
    )
    assert word.rstrip("=") not in "".join(shown)


def test_empty_variable_is_shown() -> None:
    words = ["k6", "run", "-e", "DEBUG=", "-e", "http.method=GET", "x.js"]
    assert redact(words) == words
