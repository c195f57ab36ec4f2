"""Secrets of command lines are never written down; everything else is kept."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from secret_shapes import HOLDING, SECRET, URL

from benchkit.redaction import (
    redact,
    redact_command,
    redact_label,
    redact_message,
    redact_name,
    redact_quote,
    redact_text,
    redact_value,
)

#: Secrets recognisable by shape alone; none is or was in use.
SHAPED = {
    "GitHub": "ghp_" + "a1B2" * 9,
    "GitHub, another kind": "ghs_" + "a1B2" * 9,
    "GitHub, fine-grained": "github_pat_" + "11AB" * 8,
    "GitLab": "glpat-" + "a1B2" * 5,
    "Slack": "xoxb-" + "123456789012-" * 2 + "abc",
    "AWS": "AKIA" + "A1B2" * 4,
    "a model's provider": "sk-" + "a1B2" * 8,
    "npm": "npm_" + "a1B2" * 9,
    "web token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxIn0." + "c2lnbmF0dXJl",
    "Slack's hook": "https://hooks.slack.com/services/" + "T0000/B0000/" + "c0ffee" * 4,
}

KEPT = (
    ["wrk", "-t2", "-c8", "-d30s", "--latency", f"{URL}?id=7&page=2"],
    ["taskset", "-c", "1", "k6", "run", "--vus", "10", "-e", "RATE=500", "traffic.js"],
    ["ab", "-n", "1000", "-c", "20", "-k", "-H", "Accept-Encoding: gzip", URL],
    ["go", "test", "-bench=BenchmarkOTelOverhead/OTel_Disabled", "-benchtime=10s", "-count=5"],
    ["sh", "-c", "vegeta attack -rate=1000/s -duration=20m -targets=r.txt | vegeta report"],
    ["hey", "-z", "10s", "-T", "application/json", "-m", "POST", "-D", "body.json", URL],
    ["./load.sh", "-a", "127.0.0.1:8080", "--keys", "100", "--key-size", "16", URL],
    ["./load.sh", "-a", "-n", "10", "http://127.0.0.1:8080/users/@me"],
    ["sh", "-c", "echo 'GET http://h:80/' | vegeta attack -duration=5s | tee results.bin"],
    ["autocannon", "-c", "100", "-d", "40", "-p", "10", "http://localhost:3000"],
    ["redis-benchmark", "-h", "cache", "-p", "6379", "-n", "4000", "-t", "ping,set,get", "-q"],
    ["gunicorn", "-k", "uvicorn.workers.UvicornWorker", "-w", "2", "app.main:create()"],
    ["cargo", "bench", "--features", "simd,avx2", "--bench", "parse"],
    ["siege", "-c", "25", "-t", "1M", "-b", "http://localhost/a"],
    ["oha", "-z", "10s", "-c", "50", "--no-tui", "http://localhost:8080/x"],
    ["hyperfine", "--warmup", "3", "-N", "./sort.sh 1000", "sleep 0.3"],
    ["find", "~", "*.jpg"],
    ["find", "~", "-iregex", r".*[0-9]\.jpg$"],
    ["find", "~", "-iname", "*[0-9].jpg"],
    ["fd", "-u", r"[0-9]\.jpg$", "~"],
    ["wrk2", "-R", "2000", "-t2", "-s", "scripts/post.lua", "$URL"],
    ["java", "-Xms512m", "-Xmx2g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=200", "-jar", "app.jar"],
    ["curl", "-s", "-o", "/dev/null", "-w", "%{time_total}", "-X", "POST", URL],
    ["docker", "run", "wrk:latest@sha256:0123456789abcdef", "-d10", URL],
    ["wrk", "-d10s", f"{URL}?monkey=2&keys=10#top"],
    ["wrk", "-c9", f"{URL}?code=200&sid=7&page[size]=10&a=50"],
    ["ab", "-p", "post.json", "-T", "text/xml", "http://h/login"],
    ["docker", "run", "-p", "8080:80", "-v", "/etc/ca.pem:/etc/ca.pem", "wrk"],
    ["docker", "run", "--rm", "-u", "1000:1000", "williamyeh/wrk", "-d10", URL],
    ["podman", "run", "--user=1000:1000", "-p", "8080:80", "wrk", "-d10", URL],
    ["vegeta", "attack", "-name", "otlp", "-duration=5s"],
    ["curl", "-H", "$AUTH", "-u", "$USER", f"{URL}#top"],
    ["./load.sh", "-p", "10", "-u", "100", "-a", "localhost:8080"],
    ["benchkit", "capture", "--out", "results", "--", "wrk", "-d10", URL],
    ["benchkit", "compare", "perf", "--baseline", "v1.8.0"],
    ["env", "A=1", "benchkit", "compare", "./make", "--baseline", "v1.8.0"],
)


@pytest.mark.parametrize("words", HOLDING.values(), ids=HOLDING)
def test_secret_is_redacted(words: list[str]) -> None:
    clean = redact(words)
    assert len(clean) == len(words)
    assert SECRET not in " ".join(clean)
    assert "REDACTED" in " ".join(clean) or "…" in " ".join(clean)
    assert redact(clean) == clean


@pytest.mark.parametrize("secret", SHAPED.values(), ids=SHAPED)
def test_secret_is_recognised_by_its_shape(secret: str) -> None:
    last = secret[-12:]
    for words in (
        ["tool", secret],
        ["tool", f"--value={secret}"],
        ["bash", "-lc", f"tool {secret} && wrk {URL}"],
        ["bash", "-lc", f"tool --value='{secret}'"],
    ):
        assert last not in " ".join(redact(words))
    assert last not in redact_text(f"cannot be read: {secret} is no option")


@pytest.mark.parametrize("name", [name for name in HOLDING if not name.startswith("script")])
def test_secret_in_a_script_is_redacted(name: str) -> None:
    (clean,) = redact([shlex.join(HOLDING[name])])
    assert SECRET not in clean
    assert SECRET not in redact(["bash", "-lc", shlex.join(HOLDING[name])])[2]


@pytest.mark.parametrize("words", KEPT, ids=lambda words: " ".join(words)[:20])
def test_other_text_is_kept(words: list[str]) -> None:
    assert redact(words) == words


def test_text_around_a_secret_is_kept() -> None:
    assert redact_text(f"http://me:{SECRET}@h:80/x?a=1&token={SECRET}&b=2") == (
        "http://REDACTED@h:80/x?a=1&token=REDACTED&b=2"
    )
    script = f"ab -A me:{SECRET} -n 10 '{URL}?a=1&b=2' | tee out.txt > /dev/null"
    expected = f"ab -A … -n 10 '{URL}?a=1&b=2' | tee out.txt > /dev/null"
    assert redact(["sh", "-c", script]) == ["sh", "-c", expected]


def test_password_in_a_name_is_redacted_even_if_it_is_a_word() -> None:
    assert redact_label("mysql -pcorrect -h db") == "mysql -p…e7a5cd538855 -h db"


UNBALANCED = (
    f"wrk -t2 -c8 -H 'X-T: {SECRET}' --jwt {SECRET} {URL}\"",
    f'wrk -H "X-T: {SECRET}" --token {SECRET} -d don\'t mysql -p{SECRET} {URL}',
    f"wrk -d don't -H 'X-T: {SECRET} {SECRET}' {URL}",
    f'wrk -H"X-T: {SECRET} {SECRET}" {URL}\'',
    f'wrk -H "X-T: {SECRET} {SECRET}',
    f"bash -lc \"ulimit -n 9; wrk -H 'X-T: {SECRET}' {URL}",
    f'sh -c \\"wrk -H \\"X-T: a {SECRET}\\" \'{URL}',
)


@pytest.mark.parametrize("command", UNBALANCED)
def test_secret_in_a_command_with_unbalanced_quotes_is_redacted(command: str) -> None:
    assert SECRET not in redact_command(command)
    assert "wrk" in redact_command(command)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("api_token", SECRET, "…075b4199a603"),
        ("MYSQL_PWD", "12345", "…765974d61402"),
        ("db_password", "word", "…8640d714e8be"),
        ("session_cookie", SECRET, "…075b4199a603"),
        ("note", f"password={SECRET}", "password=…075b4199a603"),
        ("url", f"http://u:{SECRET}@h/?sig={SECRET}", "http://…012af09e4057@h/?sig=…075b4199a603"),
        ("auth", "basic", "basic"),
        ("max_tokens", "128", "128"),
        ("password_hash", "bcrypt", "bcrypt"),
        ("payload", "128k", "128k"),
    ],
)
def test_value_is_a_secret_by_its_name_or_shape(name: str, value: str, shown: str) -> None:
    assert redact_value(name, value) == shown


@pytest.mark.parametrize(
    "name", ["Basic auth", "Digest GET", "Token: JWT vs opaque", "token=jwt", "GET /a?b=c, auth=no"]
)
def test_name_that_distinguishes_runs_is_kept(name: str) -> None:
    assert redact_name(name) == name


@pytest.mark.parametrize("before", ["", "MODE=fast ", "A='x y' B= ", "TOKEN=abc "])
@pytest.mark.parametrize("command", ["curl -u me:{} http://h/", "tool --mode fast --zap {}"])
def test_secret_of_a_command_after_variables_is_redacted(before: str, command: str) -> None:
    assert SECRET not in redact_label(before + command.format(SECRET))


def test_every_secret_of_a_heading_is_redacted() -> None:
    for name in ("password=x token: {}", "token: {}", "Cookie: {}", '{{"api_key": "{}"}}'):
        assert SECRET not in redact_label(name.format(SECRET))


@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_words_are_accepted(words: list[str]) -> None:
    assert len(redact(words)) == len(words)


def test_word_of_many_assignments_is_shown_up_to_a_limit() -> None:
    for word in ("a=" * 5000, "a=" * 5000 + "c0ffee", "token=" * 5000 + "c0ffee"):
        shown = redact_label(f"tool -x {word}")
        assert shown.startswith("tool -x ")
        assert "c0ffee" not in shown
    assert redact_label("tool -x a=b=c") == "tool -x a=b=c"


@pytest.mark.parametrize(
    "name",
    [
        "Running benchmark for node:http@22.8.0",
        "(bun:serve@v1.1.10-canary.3)",
        "fastify:app@latest: 10 s",
        "@scope/pkg@1.2.3",
        "redis:7.2@sha256:0123456789abcdef",
        "docker-pullable://redis:7.2@sha256:0123456789abcdef",
        "git@github.com:org/repo",
        "mailto:me@example.org",
    ],
)
def test_name_with_a_version_or_address_contains_no_password(name: str) -> None:
    assert redact_name(name) == name
    assert redact_text(name) == name


@pytest.mark.parametrize(
    "host", ["db", "10.0.0.1", "1.2.3:80", "1.2.3/0", "3306-db.a", "1.2.3@db", "1.2.3-db.a"]
)
@pytest.mark.parametrize("scheme", ["", "redis://"])
def test_password_before_a_host_that_looks_like_a_version_is_redacted(
    scheme: str, host: str
) -> None:
    assert "c0ffee" not in redact_name(f"{scheme}root:c0ffee@{host}")


@pytest.mark.parametrize("name", ["git:HEAD@{1}", "git:main@{2026-11-01}:a/b", "git:a/b@{u}"])
def test_git_revision_is_not_a_password(name: str) -> None:
    assert redact_text(name) == redact_message(name) == name
    assert redact_text("git:hunter2@host") == "REDACTED@host"


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "%s"}',
        '(it starts with \'{"password": "%s',
        "{ 'api_key' : '%s two', 'n': 1}",
        '{"db.password":%s}',
        '"token" = "%s", "n": 1',
        "'secret'='%s'",
        '{"password": ["%s"]}',
        '{"password": "a\\"%s"}',
        '"{\\"password\\": \\"%s\\", \\"n\\": 1}"',
    ],
)
@pytest.mark.parametrize("show", [redact_message, redact_name, redact_text])
def test_secret_after_a_quoted_key_is_redacted_in_a_message(
    text: str, show: Callable[[str], str]
) -> None:
    shown = show(text % "Zqcarol7Kx")
    assert "Zqcarol7Kx" not in shown
    assert ("n" in shown) >= ("n" in text)


KEY_LINES = [
    "uhheDgt9KXtM/LjebFdfXfp565GWPO2NCK0oM/RC5vBTXDWB3ZXUaUkNJHz/zTfQ",
    "Q5ZWW6+5F2oIkJhYqNtnAAK/2Ym+nkSKKQGdn0NrVMlOr8mcmmzFVMMbSXUEHJCZ",
]


@pytest.mark.parametrize("joint", ["\n", "\r\n", " ", "\\n", ""])
@pytest.mark.parametrize("redact", [redact_text, redact_message, redact_quote, redact_label])
def test_private_key_without_its_first_line_is_redacted(
    redact: Callable[[str], str], joint: str
) -> None:
    shown = redact(f"the key {joint.join(KEY_LINES * 3)} is wrong")
    assert not any(line[3:40] in shown for line in KEY_LINES)
    assert "is wrong" in shown


def test_long_names_of_words_are_kept() -> None:
    name = "BenchmarkEncodeLargeDocument/Codec1/WithCompressionLevel9/AndParallelWriters16"
    assert redact_label(name) == redact_message(name) == name


@pytest.mark.parametrize("redact", [redact_text, redact_message, redact_quote, redact_label])
@pytest.mark.parametrize(
    "text", ["the password is %s", "token was '%s', now", "secret is `%s`", "Password is %s."]
)
def test_secret_stated_in_a_sentence_is_redacted(redact: Callable[[str], str], text: str) -> None:
    assert "hunter2Zq9xK" not in redact(text % "hunter2Zq9xK")


@pytest.mark.parametrize(
    "text", ["password is incorrect", "the token is expired", "secret is none", "token is 12 ms"]
)
def test_sentence_about_a_secret_is_kept(text: str) -> None:
    assert redact_text(text) == redact_message(text) == redact_quote(text) == text


@pytest.mark.parametrize("name", ["GitHub", "AWS", "web token"])
def test_shaped_secret_within_a_word_is_redacted(name: str) -> None:
    assert SHAPED[name] not in redact_text(f"x{SHAPED[name]}")


@pytest.mark.parametrize("name", ["npm_install_duration_node20", "hf_time_to_first_Token"])
def test_name_that_begins_like_a_token_is_kept(name: str) -> None:
    assert redact_text(name) == name


@pytest.mark.parametrize("show", [redact_text, redact_message, redact_label])
@pytest.mark.parametrize(
    "text",
    [
        "empty handlers and basic logging in the console.",
        "Basic Kubernetes, basic JavaScript; BASIC AUTHENTICATION",
        "digest middleware and bearer validation",
        "'^(?P<variant>basic logging in the console|basic PostgreSQL)$'",
    ],
)
def test_word_after_basic_in_prose_is_not_a_credential(
    show: Callable[[str], str], text: str
) -> None:
    assert show(text) == text


@pytest.mark.parametrize("show", [redact_text, redact_message])
@pytest.mark.parametrize(
    "text",
    [
        "Basic dXNlcjpwdw==",
        "Basic QWxhZGRpbjpvcGVu",
        "Bearer eyJhbGciOi",
        "bearer c0ffeec0ffee",
        "Authorization: Basic logging",
        "Authorization=Bearer logging",
        "authorization Basic logging",
    ],
)
def test_credential_after_its_scheme_is_redacted(show: Callable[[str], str], text: str) -> None:
    assert text.rpartition(" ")[2] not in show(f"sent {text}")


def test_endless_word_is_hidden_quickly() -> None:
    start = process_time()
    for word in ("x" * 500_000, "a/b" * 200_000, "k=v" * 200_000):
        assert redact_command(f"wrk -s {word} http://h/") == "wrk -s … http://h/"
    assert process_time() - start < 1  # a shell lexer takes seconds for each
