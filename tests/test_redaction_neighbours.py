"""Secrets in percent-encoding, after words of a program, and under names in other languages."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from scaling import assert_linear
from secret_shapes import HOLDING, SECRET, TOKENS

from benchkit.redaction import (
    redact_command,
    redact_label,
    redact_message,
    redact_name,
    redact_quote,
    redact_text,
)
from benchkit.redaction.options import PROGRAMS
from benchkit.redaction.rules import _RULES

REDACTIONS = (redact_text, redact_message, redact_quote, redact_name, redact_label, redact_command)
OLD_VAULT = "s.abcdEFGH1jkl" + "Mn2pqR3tuVwX"
ASSIGNED = (
    f"psk={SECRET}",
    f"passcode: {SECRET}",
    f"java -Dpw={SECRET}",
    f"ｐａｓｓｗｏｒｄ={SECRET}",
    f"pass\u200bword={SECRET}",
    f"password＝{SECRET}",
    f"WIFI_PSK={SECRET}",
    f"PresharedKey = {SECRET}",
    f"MASTER_KEY={SECRET}",
    f"PHPSESSID={SECRET}",
    f"csrf={SECRET}",
    f"rootpw={SECRET}",
    f"kennwort={SECRET}",
    f"mot_de_passe={SECRET}",
    f"senha={SECRET}",
    f"密码={SECRET}",
    f"password%3D{SECRET}",
    f"password%253d{SECRET}",
    f"token%3A{SECRET}",
    f"token%3a%20{SECRET}",
    f"%22password%22%3A%22{SECRET}%22",
    f"user%3Dme%26password%3D{SECRET}%26x%3D1",
    f"GET /cb%3Ftoken%3D{SECRET} failed",
    f"http%3A%2F%2Fme%3A{SECRET}%40h",
    f"GITHUB_PAT={SECRET}",
    f"GET /a -> connect.sid={SECRET}; Path=/",
    f"$env:API_TOKEN = '{SECRET}'",
    f"panic: 401 Incorrect API key provided: {SECRET}",
    f"invalid token supplied: '{SECRET}'",
    f"open jdbc:oracle:thin:scott/{SECRET}@db:1521/x",
    f"&quot;password&quot;:&quot;{SECRET}&quot;",
)
COMMANDS = (
    f"vault login {OLD_VAULT}",
    f"CREATE USER x IDENTIFIED BY '{SECRET}'",
    f"AUTH PLAIN {SECRET}",
    f"curl -su me:{SECRET} http://h/",
    f"curl --proxy-user me:{SECRET} http://h/",
    f"curl --user=me:{SECRET} http://h/",
    f"ab -C sid={SECRET} http://h/",
    f"tool --web-login me:{SECRET} -n 1",
    f"tool --authenticate=me:{SECRET} -n 1",
    f"tool -user me:{SECRET} -n 1",
    f"tool --db.pass {SECRET} -n 1",
    f"ran vault login -no-print {OLD_VAULT} first",
    f"vault login hvs.{SECRET}",
    f"vault operator unseal {SECRET}",
    f"vault token lookup {OLD_VAULT}",
    f'curl --json \'{{"psk":"{SECRET}"}}\' http://h/',
    f"curl -d '<pass>{SECRET}</pass>' http://h/",
    f"curl -d 'user=me&password={SECRET}' http://h/",
    f"redis-cli AUTH {SECRET}",
    f"requirepass {SECRET}",
    f"zip -P {SECRET} a.zip",
    f"openssl s_client -psk {SECRET}",
    f"openssl enc -pass pass:{SECRET}",
    f"keytool -storepass {SECRET} -keypass {SECRET}",
    f"htpasswd -b file me {SECRET}",
    f"htpasswd -nb me {SECRET}",
    f"echo me:{SECRET} | chpasswd",
    f"mc alias set x http://h AK {SECRET}",
    f"wpa_passphrase network '{SECRET}'",
    f"rclone obscure {SECRET}",
    f"doctl auth init -t {SECRET}",
    f"git config --global sendemail.smtppass {SECRET}",
    f"git config set github.token {SECRET}",
    f"git config http.proxyAuthPassword {SECRET}",
    f"git config user.pw {SECRET}",
    f"npm config set //registry.example.org/:_authToken {SECRET}",
    f"set DB_PASSWORD {SECRET}",
    f"setx API_TOKEN '{SECRET}'",
    f"ENV CLIENT_SECRET {SECRET}",
    f"ENV DJANGO_SECRET_KEY {SECRET}",
    f"ENV SECRET_KEY {SECRET}",
    f"set MYSQL_PWD {SECRET}",
    f"DB_PASSWORD: {SECRET}",
    f"password: '{SECRET}'",
    f"pass phrase: {SECRET}",
    f"SET PASSWORD FOR root = '{SECRET}'",
    f"SET PASSWORD = PASSWORD('{SECRET}')",
    f"echo {SECRET} | docker login -u me --password-stdin",
)
PLAIN = (
    "100%25 of a%3Db, page%3D2",
    "vault login failed",
    "set DB_PASSWORD before the run",
    "BenchmarkGet_Token 10000000 12.1 ns/op",
    "MAX_TOKENS 12345678",
    "BenchmarkAPI/Token   10000000   12.1 ns/op",
    "CACHE_KEY 12345678",
    "SET PASSWORD is slow",
    "docker login --password-stdin",
    "vault login is slow",
    "s.encodeLargeDocuments12345",
    "go test -bench . -benchtime 10s",
    "the option -password is required",
    "AUTH is slow",
    "$env:GOGC = off",
    "PATTERN_PATH=a/b",
    "no API key provided: skipped",
    "jdbc:oracle:thin:@db:1521/x",
)


@pytest.mark.parametrize("redact", REDACTIONS)
@pytest.mark.parametrize("text", [*ASSIGNED, *COMMANDS])
def test_secret_of_this_shape_is_redacted(redact: Callable[[str], str], text: str) -> None:
    shown = redact(text)
    assert SECRET not in shown
    assert OLD_VAULT[-9:] not in shown


@pytest.mark.parametrize("text", PLAIN)
def test_text_that_only_resembles_a_secret_is_kept(text: str) -> None:
    assert redact_name(text) == redact_message(text) == text
    assert redact_name("auth%3Dbasic") == "auth%3Dbasic"


def test_git_arguments_are_kept_only_for_commands_on_commits() -> None:
    for words in ("git -C a config b.c", "git config log", "git frob log", "git log && tool"):
        assert SECRET not in redact_command(f"git log; {words} {SECRET}")
    command = "git checkout feature/pool && git log HEAD~3 && git config user.name …"
    assert redact_command(command) == command


def test_text_around_an_encoded_secret_is_kept() -> None:
    shown = redact_text(f"see /cb%3Fa%3D1%26token%3D{SECRET}%26b%3D2 there")
    assert shown == "see /cb%3Fa%3D1%26token%3DREDACTED%26b%3D2 there"
    assert redact_text(shown) == shown


def test_keywords_of_each_rule_occur_in_all_texts_it_matches() -> None:
    examples = [*ASSIGNED, *COMMANDS, *TOKENS.values(), *map(" ".join, HOLDING.values())]
    texts = [text for text in examples if text.isascii()]
    for words, pattern in (*_RULES, *PROGRAMS):
        for text in filter(pattern.search, texts):
            assert any(word in text.lower() for word in words)


@pytest.mark.parametrize(
    "text", ["%3D", "%25", "a%3Db", "token%3Da ", "&quot;a", "vault login -a "]
)
def test_adversarial_text_takes_linear_time(text: str) -> None:
    assert_linear(lambda size: text * (size // len(text)), redact_text, 60_000)


def test_words_after_a_non_program_are_hidden() -> None:
    assert redact_command("passcode: hunter -n 3") == "… … -n 3"
    assert redact_command("A=1 ./tool -n 3") == "A=1 ./tool -n 3"
