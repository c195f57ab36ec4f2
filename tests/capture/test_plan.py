"""A plan is parsed strictly, and its order gives no variant an advantage from drift."""

from __future__ import annotations

import subprocess
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchkit.capture.plan import ORDERS, order_rounds, parse_plan, read_plan
from benchkit.capture.resume import state_plan
from benchkit.errors import ConfigError, ExitCode

EXAMPLE = """
rounds = 4
order = "random"
seed = 7
pause = "1.5s"
benchmark = "/ping"
command = "wrk -c8 'http://h/a b'"
before = ["./serve", "{variant}"]
serve = "./server {variant}"
ready = "http://{variant}:8080/"
[variants.none]
[variants.otlp]
ready = "127.0.0.1:8081"
command = "vegeta attack -targets=t | vegeta report"
warmup = "wrk -d1 http://h/{variant}"
"""


def test_every_key_is_read() -> None:
    plan = parse_plan(tomllib.loads(EXAMPLE))
    assert (plan.rounds, plan.order, plan.seed, plan.pause) == (4, "random", 7, 1.5)
    assert plan.benchmark == "/ping"
    none, otlp = plan.variants["none"], plan.variants["otlp"]
    assert none.command == ("wrk", "-c8", "http://h/a b")
    assert (none.warmup, none.before, none.after) == ((), ("./serve", "none"), ())
    assert otlp.command == ("sh", "-c", "vegeta attack -targets=t | vegeta report")
    assert otlp.warmup == ("wrk", "-d1", "http://h/otlp")
    assert (none.serve, none.ready) == (("./server", "none"), "http://none:8080/")
    assert (otlp.serve, otlp.ready) == (("./server", "otlp"), "127.0.0.1:8081")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no variants"),
        ("[variants]", "no variants"),
        ("variants = 1", "expected tables, got 1"),
        ("variants = ['a', 'b']", "expected tables, got ['a', 'b']; write a table for each"),
        ('[variants.a]\ncommand = "x {varient}"', "placeholder {varient}; did you mean {variant}"),
        ('[variants.a]\ncommand = "x {Variant} | cat"', "unknown placeholder {Variant}"),
        ('[variants.a]\ncommand = ["x", "{variants}"]', "unknown placeholder {variants}"),
        ('[variants.a]\ncommand = "x"\nready = "http://{ variant }/"', "did you mean {variant}"),
        ("[variants.a]", "no command"),
        ('[variants.""]', '[variants.""]: the variant has no name; use [variants.NAME]'),
        ('[variants." "]\ncommand = "x"', "the variant has no name"),
        ('[variants.a]\n[variants."a "]', "'a ' and 'a' are the same name"),
        ('[variants.a]\ncommand = "x"\nrounds = 4', "unknown key 'rounds'"),
        ('[variants.a]\ncommand = "x"\nready_timout = 4', "did you mean 'ready_timeout'"),
        ('[variants.a]\ncommand = "x"\nvariant = 4', "unknown key 'variant'"),
        ('[variants.a]\ncommand = "x"\nspans = inf', "unknown key 'spans'"),
        ('[variants.a]\ncommand = "x"\nspans = true', "unknown key 'spans'"),
        (
            'command = "x"\n[variants.a]\nspans = 1\n[variants.b]\nspans = "4"',
            "p.toml [variants.b] spans: expected a number below 1e+15, got '4'",
        ),
        (
            'command = "x {spans}"\n[variants.a]\n[variants.b]\nspans = 4',
            "number for {spans}; add ",
        ),
        ('command = "x {span}"\n[variants.b]\nspans = 4', "did you mean {spans}?"),
        ("[variants]\na = 1", "not a table"),
        ('[variants.a]\ncomand = "x"', "did you mean 'command'"),
        ('serve = "x"\n[variants.a]\ncommand = "x"', 'add ready = "http'),
        ('serve = "x"\nready = ""\n[variants.a]\ncommand = "x"', "needs the key `ready`"),
        ('ready = 80\n[variants.a]\ncommand = "x"', "expected a URL or host:port, got 80"),
        ('ready = "redis://h:6379"\n[variants.a]\ncommand = "x"', "expected a URL or host:port"),
        ('ready = "a..b:80"\n[variants.a]\ncommand = "x"', "expected a URL or host:port"),
        ('ready = "http://h:x/"\n[variants.a]\ncommand = "x"', "expected a URL or host:port"),
        ('[variants.a]\ncommand = "x"\nready = "localhost"', "[variants.a] ready"),
        ('round = 1\n[variants.a]\ncommand = "x"', "did you mean 'rounds'"),
        ('rounds = 0\n[variants.a]\ncommand = "x"', "whole number of at least 1"),
        ('rounds = true\n[variants.a]\ncommand = "x"', "whole number of at least 1"),
        ('order = "aabb"\n[variants.a]\ncommand = "x"', "use abba, rotate, random"),
        ('order = []\n[variants.a]\ncommand = "x"', "use abba, rotate, random"),
        ('seed = -1\n[variants.a]\ncommand = "x"', "whole number of at least 0"),
        ('pause = "soon"\n[variants.a]\ncommand = "x"', "expected a duration"),
        ('pause = -1\n[variants.a]\ncommand = "x"', "expected a duration"),
        ('benchmark = 1\n[variants.a]\ncommand = "x"', "not a string"),
        ('[variants.a]\ncommand = ""', "not a command"),
        ("[variants.a]\ncommand = [1]", "not a command"),
        ('[variants.a]\ncommand = "x \'y"', "No closing quotation"),
    ],
)
def test_invalid_plan_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_plan(tomllib.loads(text), where="p.toml")
    assert message in str(error.value)
    assert str(error.value).startswith("p.toml")


@pytest.mark.parametrize("content", [b"= 1", b"\xff\xfe\x00", None])
def test_unreadable_plan_is_a_configuration_error(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "plan.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"plan\.toml") as error:
        read_plan(path)
    assert error.value.exit_code == ExitCode.USAGE


variants = st.lists(st.text(min_size=1, max_size=3), min_size=1, max_size=5, unique=True)


@given(variants, st.integers(1, 12), st.sampled_from(ORDERS), st.integers(0, 9))
def test_each_round_contains_each_variant_once(
    names: list[str], rounds: int, order: str, seed: int
) -> None:
    made = order_rounds(names, rounds, order, seed)
    assert [sorted(one) for one in made] == [sorted(names)] * rounds
    assert made == order_rounds(names, rounds, order, seed)


@given(variants, st.integers(1, 6))
def test_linear_drift_affects_all_variants_equally(names: list[str], pairs: int) -> None:
    made = order_rounds(names, 2 * pairs, "abba", 1)
    places = [variant for one in made for variant in one]
    sums: Counter[str] = Counter()
    for at, variant in enumerate(places):
        sums[variant] += at
    assert len(set(sums.values())) == 1


def test_rotation_puts_each_variant_in_each_position() -> None:
    made = order_rounds(list("abcd"), 8, "rotate", 1)
    assert Counter((at, v) for one in made for at, v in enumerate(one)) == Counter(
        {(at, v): 2 for at in range(4) for v in "abcd"}
    )


def test_random_order_depends_on_the_seed() -> None:
    made = [order_rounds(list("abcde"), 6, "random", seed) for seed in (1, 2)]
    assert made[0] != made[1]
    assert len({tuple(one) for one in made[0]}) > 1


def test_variant_has_numbers_that_its_commands_use() -> None:
    table = {"command": "x {spans} | cat", "serve": "s -r {rate} {variant}", "ready": "h:{spans}"}
    variants = {"none": {"spans": 10, "rate": 0}, "otlp": {"spans": 14, "rate": 0.5}}
    otlp = parse_plan({**table, "variants": variants}).variants["otlp"]
    assert otlp.command == ("sh", "-c", "x 14 | cat")
    assert (otlp.serve, otlp.ready) == (("s", "-r", "0.5", "otlp"), "h:14")
    assert otlp.numbers == {"spans": 14, "rate": 0.5}
    stated = state_plan(otlp)
    assert (stated["spans"], stated["rate"]) == ("14", "0.5")


EVIL = "a; touch stolen; $(touch stolen) `touch stolen` ' \" \\"


@pytest.mark.parametrize(
    "script",
    ["echo {variant} > a{variant}; cat a{variant}", "echo $HOME {variant}", "echo {variant}"],
)
def test_name_is_one_word_of_a_script(script: str, tmp_path: Path) -> None:
    name = EVIL.replace("/", "")
    words = parse_plan({"command": script, "variants": {name: {}}}).variants[name].command
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert name in done.stdout
    assert not (tmp_path / "stolen").exists()


@pytest.mark.parametrize(
    "script",
    [
        "echo '{variant}' | cat",
        'echo "{variant}" | cat',
        'echo "$(cat {variant})"',
        "echo `cat {variant}`",
        "cat <<EOF\n{variant}\nEOF",
        "echo \\{variant} | cat",
        "true # it's {variant}",
    ],
)
def test_name_that_is_unsafe_inside_quotes_is_refused(script: str) -> None:
    with pytest.raises(ConfigError, match="cannot be inside quotes"):
        parse_plan({"command": script, "variants": {EVIL: {}}})
    (command,) = (
        each.command
        for each in parse_plan({"command": script, "variants": {"v 1": {}}}).variants.values()
    )
    assert "v 1" in command[-1]


def test_command_is_split_before_the_name_is_inserted() -> None:
    plan = parse_plan({"command": 'wrk -s "{variant}" {variant}', "variants": {"a; b": {}}})
    assert plan.variants["a; b"].command == ("wrk", "-s", "a; b", "a; b")
