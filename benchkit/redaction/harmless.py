"""Harmless parts of a command line, which are shown: numbers, files, hosts, known programs."""

from __future__ import annotations

from benchkit.redaction.marks import MARK
from benchkit.regexes import regex

#: Tools whose command lines are parsed, and their options whose value is a text that is not a
#: secret.
TOOLS: dict[str, frozenset[str]] = {
    "ab": frozenset({"-m", "-T"}),
    "autocannon": frozenset({"-m", "--method", "--title", "-T"}),
    "bombardier": frozenset({"-m", "--method", "-p", "--print", "-o", "--format"}),
    "cargo": frozenset({"--bench", "--features", "--profile", "-F"}),
    "curl": frozenset({"-X", "--request", "-w", "--write-out"}),
    "fd": frozenset(),
    "find": frozenset(),
    "ghz": frozenset({"--call", "--name", "--format"}),
    "go": frozenset({"-bench", "-run", "-skip", "-tags", "-cpu"}),
    "gunicorn": frozenset({"-k", "--worker-class"}),
    "h2load": frozenset({"-p", "--no-tls-proto", "--npn-list"}),
    "hey": frozenset({"-m", "-T", "-A", "-host", "-o"}),
    "hyperfine": frozenset(
        {"-n", "--command-name", "-L", "--parameter-list", "-P", "--parameter-scan"}
        | {"-S", "--shell", "--sort", "--style"}
    ),
    "k6": frozenset({"--summary-trend-stats", "--summary-time-unit", "--summary-mode"}),
    "oha": frozenset({"-m", "--method", "-T"}),
    "redis-benchmark": frozenset({"-h", "-p", "-s", "-t"}),
    "siege": frozenset({"-m", "--mark", "-T", "--content-type"}),
    "valkey-benchmark": frozenset({"-h", "-p", "-s", "-t"}),
    "vegeta": frozenset({"-format", "-type", "-name", "-targets", "--type", "--format"}),
    "wrk": frozenset(),
    "wrk2": frozenset(),
}
#: Headers whose values belong to the workload and are not secrets.
HEADERS = frozenset(
    {"accept", "accept-charset", "accept-encoding", "accept-language", "cache-control"}
    | {"connection", "content-length", "content-type", "expect", "host", "pragma", "te"}
    | {"transfer-encoding", "upgrade", "user-agent"}
)
_CREDENTIALS = frozenset({"-A", "-P", "-U", "-a", "-p", "-u"})
#: Options of these tools that carry credentials; other known tools have none.
_CREDENTIALS_OF = {
    "ab": frozenset({"-A", "-P"}),
    "curl": _CREDENTIALS,
    "hey": frozenset({"-a"}),
    "oha": frozenset({"-a"}),
    "redis-benchmark": frozenset({"-a"}),
    "valkey-benchmark": frozenset({"-a"}),
}
#: Options that carry credentials in any tool: ``--proxy-user``, and what should have been a header.
_CREDENTIAL = regex(r"-H|--?(?:[a-z]+-)*(?:headers?|login|user|username|userpwd)")
#: Programs whose ``-p 8080:80`` and ``-u 1000:1000`` are ports and user numbers.
_CONTAINERS = frozenset({"docker", "kubectl", "podman"})
#: Programs that start another one, which follows their options.
WRAPPERS = frozenset(
    {"chrt", "docker", "env", "ionice", "kubectl", "nice", "nohup", "numactl", "perf", "podman"}
    | {"proxychains", "setarch", "ssh", "sshpass", "stdbuf", "sudo", "taskset", "time", "timeout"}
    | {"xargs"}
)
#: Programs whose non-option words are commands.
SCRIPTED = frozenset({"hyperfine", "ssh", "watch"})
#: Programs that serve the object named by a non-option word: a module and a name in it.
_SERVERS = frozenset({"daphne", "granian", "gunicorn", "hypercorn", "uvicorn"})
_SERVED = regex(r"[A-Za-z_]\w{0,40}(?:\.\w{1,40}){0,9}:[A-Za-z_]\w{0,40}(?:\(\))?")
#: Programs whose names are shown after a wrapper.
PROGRAMS = frozenset(
    {"awk", "bash", "benchkit", "cat", "cd", "echo", "export", "fio", "fortio", "git", "grep"}
    | {"iperf3", "java", "jmeter", "locust", "make", "mysql", "mysqldump", "mysqlslap", "node"}
    | {"npm", "pgbench", "psql", "pytest", "python", "python3", "redis-cli", "rm"}
    | {"sed", "sh", "sleep", "sort", "sysbench", "tail", "head", "tee", "zsh"}
    | {*TOOLS, *WRAPPERS, *SCRIPTED, *_SERVERS}
)
#: Subcommands of git for commits, branches and files, without any secrets.
REVISING = frozenset(
    f"git {verb}"
    for verb in (
        *("add", "archive", "branch", "checkout", "cherry-pick", "clean", "clone", "commit"),
        *("describe", "diff", "fetch", "gc", "init", "log", "ls-tree", "merge", "merge-base"),
        *("pull", "push", "rebase", "remote", "reset", "restore", "rev-list", "rev-parse"),
        *("revert", "show", "stash", "status", "switch", "tag", "worktree"),
    )
)
#: Subcommands of programs.
VERBS = frozenset(
    {"archive", "attack", "bench", "build", "capture", "cloud", "compare", "compose", "config"}
    | {"dump", "encode", "exec", "plot", "report", "run", "start", "test"}
)
_NAME = r"[\w.+-]{1,64}"
_ENDINGS = (
    "avro|bat|bin|c|cfg|class|cmd|conf|cpp|cs|csv|dat|db|exe|go|gob|gz|h|har|hdr|hgrm|hist|html?"
    "|ini|jar|java|jmx|jpg|js|json|jsonl|ko|log|lock|lua|m?js|md|ndjson|out|parquet|pcap|php|pl"
    "|png|proto|ps1|py|rb|rs|scala|sh|so|sql|svg|tar|tgz|toml|trace|ts|tsv|txt|wasm|xml|ya?ml|zip"
)
_UNIT = r"(?:ns|us|µs|ms|s|m|h|d|[kKMGT]i?[bB]?|[bB]|%|rps|qps|rpm)?"
_NUMBER = rf"[+-]?(?:\d{{1,12}}(?:\.\d{{1,12}})?{_UNIT}){{1,4}}+"
#: Values that contain no secret, whatever option they follow.
HARMLESS = regex(
    rf"{_NUMBER}(?:[,:x/-]{_NUMBER}){{0,30}}(?:x|/(?:s|sec|m|min|h))?"  # 10, 1.5GiB, 500/s, 0-3,5
    rf"|@?(?:~?/|\.{{1,2}}/)?(?:{_NAME}/){{0,20}}{_NAME}\.(?:{_ENDINGS})"  # as in data/post.lua
    rf"|(?:~|\.{{1,2}})?(?:/[\w.+-]{{0,40}}){{1,20}}(?::(?:/[\w.+-]{{0,40}}){{1,20}})?"  # /a, ./...
    r"|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]{2,39}\]"
    r"|(?![brs]\.\w{16})[a-z][\w-]{0,62}(?:\.[a-z][\w-]{0,62}){1,6})"
    r"(?::\d{1,5})?(?:/[\w./-]{0,200})?"  # as in localhost:8080/ping
    r"|[\w./-]{1,99}(?::[\w.-]{1,40})?@sha256:[\da-f]{8,64}"  # an image
    r"|(?:application|audio|image|multipart|text|video)/[\w.+*-]{1,40}(?:; ?charset=[\w-]{1,20})?"
    rf"|(?:\*\*/)?\*\.(?:{_ENDINGS})"  # as in *.jpg
    r"|\^?(?:\.?[*+]|\[(?:0-9|a-z|A-Z){1,3}\]){1,9}"
    rf"(?:\\?\.(?:{_ENDINGS}))?\$?"  # as in .*[0-9]\.jpg$
    r"|v\d{1,3}(?:\.\d{1,4}){0,3}"  # v1.2
    r"|~|\.{1,2}|GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE"
    r"|true|True|false|False|yes|no|on|off|null|csv|json|text|html?|https?|http/[\d.]{1,3}|h2c?|tcp|udp"
    r"|\$\{?\w{1,64}\}?|\$[@*#?]|\{\w{0,20}\}"  # $URL
    rf"|{MARK}|(?:[\w-]{{1,40}}: ?)?REDACTED"
)
#: Ports, and files, which no option takes as a secret: ``-p 8080:80``, ``-p body.json``.
PORT_OR_FILE = regex(
    rf"\d{{1,5}}(?::\d{{1,5}}){{0,2}}|@?(?:~?/|\.{{1,2}}/)?(?:{_NAME}/){{0,20}}{_NAME}\.(?:{_ENDINGS})"
)
#: Options that set a JVM's memory and its collector.
JVM_OPTION = regex(
    r"-X(?:m[nsx]|ss)\d{1,12}[kKmMgGtT]?"
    r"|-XX:(?:[+-][A-Z][A-Za-z\d]{1,40}|[A-Z][A-Za-z\d]{1,40}=\d{1,12}[kKmMgGtT]?)"
)
#: Values of an option that begin like a path, but are not one: ``-e /S3cr3t``.
_ROOTED = regex(
    rf"/(?![A-Za-z](?:[._-]?[A-Za-z]){{0,39}}\d{{0,3}}$)"
    rf"(?!{_NAME}\.(?:{_ENDINGS})$)[\w.+-]+"
)
#: Letters of options that count something; for others, a number of many digits may be a PIN.
_COUNTING = frozenset("-" + letter for letter in "bcdijlnqrstvwzR")
_MANY = regex(r"\d{4,}")
#: Values that are not credentials.
_NO_CREDENTIAL = regex(
    rf"\d{{1,3}}(?:[.,]\d{{1,3}}){{0,9}}{_UNIT}"
    r"|(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]{2,39}\])(?::\d{1,5})?"
    rf"|\$\{{?\w{{1,64}}\}}?|{MARK}|REDACTED|"
)
_REVISION = regex(r"[A-Za-z0-9][\w./~^-]{0,99}")
_PORTS = regex(r"[\d.]{1,15}(?:[:-]\d{1,5}){1,3}")


def may_be_credential(value: str, option: str, program: str) -> bool:
    """Whether a value belongs to an option that carries credentials, and may contain some.

    Examples
    --------
    >>> may_be_credential("a.b:12", "-A", "ab"), may_be_credential("a.b:12", "-A", "hey")
    (True, False)
    """
    others = frozenset() if program in TOOLS else _CREDENTIALS
    if option not in _CREDENTIALS_OF.get(program, others) and not _CREDENTIAL.fullmatch(option):
        return False
    is_port = program in _CONTAINERS and _PORTS.fullmatch(value)
    return not (is_port or "://" in value or _NO_CREDENTIAL.fullmatch(value))


def is_harmless(value: str, option: str) -> bool:
    """Whether a value contains no secret, whatever program it belongs to.

    Examples
    --------
    >>> is_harmless("30s", "-d"), is_harmless("tests/load.js", ""), is_harmless("c0ffee", "-x")
    (True, True, False)
    """
    is_short = len(option) == len("-x") and option not in _COUNTING
    if (is_short and _MANY.fullmatch(value)) or (option and _ROOTED.fullmatch(value)):
        return False
    return HARMLESS.fullmatch(value) is not None


def is_revision(value: str, option: str, program: str) -> bool:
    """Whether a value names a commit, a branch or a version of a repository.

    Examples
    --------
    >>> is_revision("feature/pool", "", "git checkout"), is_revision("v1.2", "", "git log")
    (True, True)
    >>> is_revision("v1", "-p", "git log"), is_revision("s3cret", "", "git config")
    (False, False)
    """
    return not option and program in REVISING and _REVISION.fullmatch(value) is not None


def is_served(value: str, option: str, program: str) -> bool:
    """Whether a value names an application that a Python server serves.

    Examples
    --------
    >>> is_served("app.main:app", "", "uvicorn"), is_served("user:secret", "", "tool")
    (True, False)
    """
    return not option and program in _SERVERS and _SERVED.fullmatch(value) is not None
