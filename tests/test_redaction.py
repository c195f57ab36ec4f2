"""No secret of a command line is written down, and what is none is kept."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.redaction import redact, redact_command, redact_name, redact_text, redact_value

SECRET = "s3cr3tvalue"  # noqa: S105 - what must not be found
URL = "http://127.0.0.1:8080/ping"

HOLDING = {
    "header": ["wrk", "-H", f"Authorization: Bearer {SECRET}", URL],
    "header, joined": ["ab", f"-HX-Api-Key: {SECRET}", URL],
    "header, long": ["oha", f"--header=X-Whatever: {SECRET}", URL],
    "header, long and apart": ["wrk", "--header", f"X-Whatever:{SECRET}", URL],
    "header of vegeta": ["vegeta", "attack", "-header", f"Cookie: a={SECRET}; b={SECRET}"],
    "header of vegeta, joined": ["vegeta", "attack", f"-header=Sw8: {SECRET}"],
    "user and password": ["wrk", f"http://me:{SECRET}@h:80/x"],
    "user and password with @": ["wrk", f"http://me:{SECRET}@{SECRET}@h:80/x"],
    "user alone": ["wrk", f"redis://{SECRET}@h:80/x"],
    "query": ["wrk", f"{URL}?a=1&access_token={SECRET}&b=2"],
    "query, key": ["wrk", f"{URL}?a=1&key={SECRET}&b=2"],
    "query, key of a name": ["wrk", f"{URL}?licenseKey={SECRET}"],
    "fragment": ["wrk", f"{URL}#access_token={SECRET}&state=1"],
    "bearer": ["curl", "--oauth2-bearer", SECRET, URL],
    "bearer, joined": ["curl", f"--oauth2-bearer={SECRET}", URL],
    "bearer in a script": ["sh", "-c", f"curl --oauth2-bearer {SECRET} {URL}"],
    "query first": ["wrk", f"{URL}?sig={SECRET}"],
    "ab's authentication": ["ab", "-n", "10", "-A", f"me:{SECRET}", URL],
    "ab's cookie": ["taskset", "-c", "0", "/usr/bin/ab", "-C", f"id={SECRET}", URL],
    "ab's proxy": ["ab", f"-Pme:{SECRET}", URL],
    "hey's authentication": ["hey", "-a", f"me:{SECRET}", URL],
    "long option": ["tool", "--password", SECRET, URL],
    "long option, joined": ["tool", f"--api-key={SECRET}", URL],
    "option of one dash": ["tool", "-token", SECRET, URL],
    "variable": ["env", f"DB_PASSWORD={SECRET}", "wrk", URL],
    "variable of k6": ["k6", "run", "-e", f"AUTH={SECRET}", "script.js"],
    "variable of an option, joined": ["k6", "run", f"--env=API_TOKEN={SECRET}", "script.js"],
    "variable of an option, a key": ["docker", "run", f"--env=LICENSE_KEY={SECRET}", "wrk"],
    "variable of a letter, joined": ["docker", "run", f"-e=TOKEN={SECRET}", "wrk"],
    "quoted variable": ["sh", "-c", f"TOKEN='{SECRET} {SECRET}' wrk {URL}"],
    "body": ["hey", "-d", f'{{"user": "me", "password": "{SECRET}"}}', URL],
    "body, tight": ["hey", "-d", f'{{"user":"me","client_secret":"{SECRET}"}}', URL],
    "script": ["sh", "-c", f"vegeta attack -header 'X-Any: {SECRET}' | vegeta report"],
    "script, option": ["sh", "-c", f"ab -n 10 -A me:{SECRET} {URL}"],
    "script, spaced": ["bash", "-lc", f"tool --password {SECRET} && wrk {URL}"],
    "script, unclosed": ["sh", "-c", f"wrk -H 'Authorization: Bearer {SECRET}"],
    "script in a script": ["sh", "-c", f"sh -c \"wrk -H 'X-A: {SECRET}' {URL}\""],
    "wrapper, user": ["./load.sh", "-u", f"me:{SECRET}", URL],
    "wrapper, long user": ["./load.sh", "--user", f"me:{SECRET}:{SECRET}", URL],
    "wrapper, user joined": ["./load.sh", f"--user=me:{SECRET}", URL],
    "wrapper, user short and joined": ["./load.sh", f"-ume:{SECRET}", URL],
    "wrapper, password of digits": ["./load.sh", "-u", "me:12345678", f"--key={SECRET}"],
    "wrapper, authentication": ["./load.sh", "-a", SECRET, URL],
    "wrapper, authentication of two": ["python3", "load.py", "-a", f"me:{SECRET}", URL],
    "wrapper, pinned": ["taskset", "-c", "1", "./load.sh", "-a", SECRET],
    "key": ["./load.sh", "--key", SECRET, URL],
    "key, joined": ["./load.sh", f"--license-key={SECRET}", URL],
    "key, in capitals": ["env", f"LICENSE_KEY={SECRET}", "./load.sh"],
    "key, as one word": ["./load.sh", f"--licenseKey={SECRET}"],
    "key of a URL": ["wrk", f"{URL}?a=1&key={SECRET}{SECRET}"],
    "data source": ["./load.sh", "--dsn", f"root:{SECRET}@tcp(127.0.0.1:3306)/db"],
    "data source, joined": ["./load.sh", f"--db-dsn=me:{SECRET}@h/db"],
    "data source by shape": ["./load.sh", f"root:{SECRET}@tcp(127.0.0.1:3306)/db"],
    "data source of another name": ["./load.sh", f"--database=root:{SECRET}@tcp(h)/db"],
    "URL of another name": ["./load.sh", "--database-url", f"postgres://me:{SECRET}@h/db"],
    "password with a slash": ["./load.sh", f"http://me:{SECRET}/{SECRET}@h:80/x"],
    "credentials": ["./load.sh", "--creds", f"me:{SECRET}"],
    "token, joined": ["./load.sh", f"--token={SECRET}"],
    "password, short": ["./load.sh", "--pw", SECRET],
    "script, wrapper": ["sh", "-c", f"./load.sh -u me:{SECRET} --key {SECRET} {URL}"],
    "MySQL's password": ["mysql", "-h", "db", f"-p{SECRET}", "shop"],
    "MySQL's password, pinned": ["taskset", "-c", "1", "/usr/bin/mysqldump", f"-p{SECRET}", "shop"],
    "sshpass": ["sshpass", "-p", SECRET, "ssh", "host", "wrk"],
    "sshpass, joined": ["sshpass", f"-p{SECRET}", "ssh", "host", "wrk"],
    "header for a proxy": ["curl", "--proxy-header", f"X-Any: {SECRET}", URL],
    "header for a proxy, joined": ["curl", f"--proxy-header=X-Any: {SECRET}", URL],
    "web token by option": ["tool", "--jwt", SECRET, URL],
    "web token by option, joined": ["tool", f"--jwt={SECRET}", URL],
    "licence": ["tool", "--license", SECRET, URL],
    "licence, joined": ["tool", f"--license={SECRET}", URL],
    "authorization without a blank": ["http", f"authorization:Bearer {SECRET}"],
    "authorization in two words": ["http", URL, "authorization:Bearer", SECRET],
    "authorization in two words, a header": ["curl", "-H", "authorization:Bearer", SECRET, URL],
    "signed URL": ["wrk", f"{URL}?X-Amz-Credential={SECRET}&X-Amz-Signature={SECRET}&a=1"],
    "password with a comma": ["tool", f"--password={SECRET},{SECRET}&{SECRET}"],
    "bare scheme": ["tool", f"Basic {SECRET}"],
    "header of vegeta's proxy": ["vegeta", "attack", f"-proxy-header=X-T: {SECRET}"],
    "headers": ["tool", "--headers", f"X-A: {SECRET}", "--http-header", f"X-B: {SECRET}"],
    "session of AWS": ["oha", "--aws-session", SECRET, URL],
    "query, in brackets": ["wrk", f"{URL}?user[password]={SECRET}&a%5Bpassword%5D={SECRET}"],
    "query, quoted name": ["wrk", f"{URL}?passw%6frd={SECRET}"],
    "query, code": ["wrk", f"{URL}?code={SECRET}&sid={SECRET}&otp={SECRET}&hmac={SECRET}"],
    "key of encryption": ["tool", "--encryptionkey", SECRET],
    "memtier": ["memtier_benchmark", f"--authenticate=me:{SECRET}"],
    "certificate": ["curl", "--cert", f"client.pem:{SECRET}", URL],
    "login of docker": ["docker", "login", "-u", "me", "-p", SECRET],
    "login of k6": ["k6", "login", "cloud", "-t", SECRET],
    "password of cqlsh": ["cqlsh", "-u", "me", "-p", SECRET],
    "password of sqlcmd": ["sqlcmd", "-U", "sa", "-P", SECRET],
    "password of ldapsearch": ["ldapsearch", "-w", SECRET],
    "bot": ["curl", f"https://api.telegram.org/bot123456789:{SECRET}/sendMessage"],
    "hook": ["curl", f"https://h.webhook.office.com/webhookb2/{SECRET}"],
    "argument": ["python", "-c", f'x(password="{SECRET}", y=1)'],
    "setting": ["tool", f"Server=h;Password=a {SECRET};Pwd = {SECRET}"],
}

#: Secrets by their shape alone; none is or was in use.
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
    ["wrk", "-t2", "-c8", "-d30s", "--latency", f"{URL}?id=7&name=a"],
    ["taskset", "-c", "1", "k6", "run", "--vus", "10", "-e", "RATE=500", "traffic.js"],
    ["ab", "-n", "1000", "-c", "20", "-k", "-H", "Accept-Encoding: gzip", URL],
    ["go", "test", "-bench=BenchmarkOTelOverhead/OTel_Disabled", "-benchtime=10s", "-count=5"],
    ["sh", "-c", "vegeta attack -rate=1000/s -duration=20m -targets=r.txt | vegeta report"],
    ["hey", "-z", "10s", "-T", "application/json", "-d", '{"url": "https://example.com"}', URL],
    ["./load.sh", "-a", "127.0.0.1:8080", "-u", "me", "--keys", "100", "--key-size", "16", URL],
    ["./load.sh", "-a", "-n", "10", "--user=1000:1000", "http://127.0.0.1:8080/users/@me"],
    ["docker", "run", "wrk:latest@sha256:0123456789abcdef", "-d10", URL],
    ["wrk", "-d10s", f"{URL}?monkey=2&keys=10#top"],
    ["wrk", "-c9", f"{URL}?code=200&sid=7&page[size]=10&a=50%25"],
    ["ab", "-p", "post.json", "-T", "text/xml", "http://h/login"],
    ["docker", "run", "-p", "8080:80", "-v", "/etc/ca.pem:/etc/ca.pem", "wrk"],
    ["docker", "run", "--rm", "-u", "1000:1000", "williamyeh/wrk", "-d10", URL],
)


@pytest.mark.parametrize("words", HOLDING.values(), ids=HOLDING)
def test_a_secret_is_taken_out(words: list[str]) -> None:
    clean = redact(words)
    assert len(clean) == len(words)
    assert SECRET not in " ".join(clean)
    assert "REDACTED" in " ".join(clean)
    assert redact(clean) == clean


@pytest.mark.parametrize("secret", SHAPED.values(), ids=SHAPED)
def test_a_secret_is_known_by_its_shape(secret: str) -> None:
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
def test_a_secret_is_taken_out_of_a_script(name: str) -> None:
    (clean,) = redact([shlex.join(HOLDING[name])])
    assert SECRET not in clean
    assert SECRET not in redact(["bash", "-lc", shlex.join(HOLDING[name])])[2]


@pytest.mark.parametrize("words", KEPT, ids=lambda words: " ".join(words)[:20])
def test_what_is_no_secret_is_kept(words: list[str]) -> None:
    assert redact(words) == words


def test_what_stands_around_a_secret_is_kept() -> None:
    assert redact_text(f"http://me:{SECRET}@h:80/x?a=1&token={SECRET}&b=2") == (
        "http://REDACTED@h:80/x?a=1&token=REDACTED&b=2"
    )
    script = f"ab -A me:{SECRET} -n 10 '{URL}?a=1&b=2' | tee out.txt > /dev/null"
    wanted = f"ab -A REDACTED -n 10 '{URL}?a=1&b=2' | tee out.txt > /dev/null"
    assert redact(["sh", "-c", script]) == ["sh", "-c", wanted]


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
def test_a_secret_is_taken_out_of_a_command_whose_quotes_do_not_balance(command: str) -> None:
    assert SECRET not in redact_command(command)
    assert "wrk" in redact_command(command)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("api_token", SECRET, "REDACTED"),
        ("MYSQL_PWD", "12345", "REDACTED"),
        ("db_password", "word", "REDACTED"),
        ("session_cookie", SECRET, "REDACTED"),
        ("note", f"password={SECRET}", "password=REDACTED"),
        ("url", f"http://u:{SECRET}@h/?sig={SECRET}", "http://REDACTED@h/?sig=REDACTED"),
        ("auth", "basic", "basic"),
        ("max_tokens", "128", "128"),
        ("password_hash", "bcrypt", "bcrypt"),
        ("payload", "128k", "128k"),
    ],
)
def test_a_value_is_a_secret_by_its_name_or_shape(name: str, value: str, shown: str) -> None:
    assert redact_value(name, value) == shown


@pytest.mark.parametrize(
    "name", ["Basic auth", "Digest GET", "Token: JWT vs opaque", "token=jwt", "GET /a?b=c, auth=no"]
)
def test_a_name_that_tells_runs_apart_is_kept(name: str) -> None:
    assert redact_name(name) == name


@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_words_are_taken(words: list[str]) -> None:
    assert len(redact(words)) == len(words)
