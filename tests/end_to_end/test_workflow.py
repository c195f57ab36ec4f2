"""The workflow of the manual that people copy: its shell steps, in order, on captures."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commits import git, write_history
from documents import read_documents

ROOT = Path(__file__).resolve().parents[2]
ACTIONS = ROOT / ".github" / "actions"
CAPTURES = ROOT / "fixtures" / "tracing-wrk" / "none"
#: Prints one capture after another, with rate and latencies slowed by a factor.
BENCH = """#!/bin/sh
count=$(($(cat .count 2>/dev/null || echo 0) + 1))
echo "$count" > .count
awk -v slower={slower} '/^Requests/ {{ printf "Requests/sec: %9.2f\\n", $2 / slower; next }}
    {{ print }}' {captures}/wrk-$count.txt
"""


def workflow(name: str = "benchmark") -> str:
    block = re.search(
        rf"```yaml\n# \.github/workflows/{name}\.yml\n(.*?)```", read_documents(), re.DOTALL
    )
    assert block is not None
    return block[1]


def shell_steps(text: str) -> list[str]:
    """Return the scripts of a workflow's `run: |` steps; their runs begin a minute apart."""
    text = text.replace("date -u ", 'date -u -d "$round minutes" ')
    scripts = re.findall(r"^( *)run: \|\n((?:\1  .*\n|\n)+)", text, re.MULTILINE)
    return [re.sub(rf"^{indent}  ", "", body, flags=re.MULTILINE) for indent, body in scripts]


def inputs(text: str) -> dict[str, str]:
    """Return the inputs that the workflow passes to the gate, as the action's environment."""
    options = re.search(r"actions/gate@main\n +with: \{(.*)\}", text)
    assert options is not None
    action = (ACTIONS / "gate" / "action.yml").read_text(encoding="utf-8")
    names = dict(re.findall(r"^ +([A-Z_]+): \$\{\{ inputs\.([a-z-]+) \}\}", action, re.MULTILINE))
    values = dict(part.split(": ") for part in options[1].split(", "))
    assert set(values) <= set(names.values())
    return {variable: values[name] for variable, name in names.items() if name in values}


class Job:
    """A runner's folder, with both checkouts."""

    def __init__(self, folder: Path, slower: float) -> None:
        self.folder = folder
        for side, factor in (("base", 1.0), ("new", slower)):
            bench = folder / side / "bench.sh"
            bench.parent.mkdir()
            bench.write_text(BENCH.format(slower=factor, captures=CAPTURES), encoding="utf-8")
            bench.chmod(0o755)
        shim = folder / "bin" / "benchkit"
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m benchkit "$@"\n')
        shim.chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{shim.parent}:{os.environ['PATH']}",
            "PYTHONIOENCODING": "utf-8",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
            "GITHUB_OUTPUT": str(folder / "outputs.txt"),
        }

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def follow(self, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the documented steps, then those of the action."""
        steps = shell_steps(workflow())
        assert steps
        for step in steps:
            done = self.run("bash", "-euo", "pipefail", "-c", step)
            assert done.returncode == 0, done.stderr
        environment = inputs(workflow()) | more
        return self.run("bash", str(ACTIONS / "gate" / "gate.sh"), **environment)

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("slower", "code", "mark", "verdict"), [(1.05, 1, "✗", "fail"), (1.0001, 0, "✓", "pass")]
)
def test_documented_workflow_runs(
    tmp_path: Path, slower: float, code: int, mark: str, verdict: str
) -> None:
    job = Job(tmp_path, slower)
    done = job.follow(SELF_TEST="true")
    assert done.returncode == code, done.stdout + done.stderr
    assert "✓ Self-test: the gate catches a planted regression in the only row" in done.stdout
    summary = job.read("summary.md")
    assert summary.startswith(f"### {mark} ")
    assert "<summary>1 row that passes</summary>" in summary or code
    assert summary.count("B312") == code  # the eight runs with the same message are one line
    assert job.read("benchkit-gate/comment.md").startswith(f"<!-- benchkit-gate -->\n### {mark} ")
    assert f"verdict={verdict}\n" in job.read("outputs.txt")
    assert job.read("benchkit-gate/junit.xml").count("<failure") == code
    assert ("::error " in done.stderr) == bool(code)
    assert "B330" not in done.stdout  # measured in turn, which is recorded


def test_inputs_reach_the_gate(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.05)
    assert job.follow(MAX_OVERHEAD="request_rate=10%\nlatency.p50=20%").returncode == 0
    assert "latency.p50=20%" in job.read("summary.md")
    gate = str(ACTIONS / "gate" / "gate.sh")
    strict = {"MAX_OVERHEAD": "request_rate=4.7%", "ON_INCONCLUSIVE": "fail"}
    assert job.run("bash", gate, **strict, BASELINE="base").returncode == 4
    assert job.run("bash", gate, BASELINE="main").returncode == 3
    allowed = {"BASELINE": "main", "ALLOW_MISSING_BASELINE": "true"}
    assert job.run("bash", gate, **allowed).returncode == 3  # base exists: main is not a first run
    assert job.run("bash", gate, POLICY="nowhere.toml").returncode == 2


def test_failing_self_test_is_shown(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.0001)
    many = "[policy]\nmin_runs = 20\n[[gate]]\nmetric = 'request_rate'\nacceptable = '5%'\n"
    (tmp_path / "base" / "benchkit.toml").write_text(many, encoding="utf-8")
    done = job.follow(SELF_TEST="true")
    assert done.returncode == 3
    assert "::error title=benchkit gate%3A self-test::✗ Self-test: " in done.stderr
    assert job.read("summary.md").startswith("### ✗ Self-test: ")
    assert "✗ Self-test: " in job.read("benchkit-gate/comment.md")
    assert "<error " in job.read("benchkit-gate/junit.xml")
    assert job.read("benchkit-gate/verdict").startswith("fail\n")


def test_policy_is_taken_from_the_base(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.05)
    assert job.follow().returncode == 1
    assert "Policy: no policy found: the default rule" in job.read("summary.md")
    limit = "[[gate]]\nmetric = 'request_rate'\nacceptable = '{}'\n"
    (tmp_path / "new" / "benchkit.toml").write_text(limit.format("50%"), encoding="utf-8")
    (tmp_path / "base" / "benchkit.toml").write_text(limit.format("10%"), encoding="utf-8")
    done = job.run("bash", str(ACTIONS / "gate" / "gate.sh"), **inputs(workflow()))
    assert done.returncode == 0, done.stderr
    assert "limit 10%" in done.stdout
    assert "Policy: base/benchkit.toml" in job.read("benchkit-gate/comment.md")
    assert "policy=base/benchkit.toml\n" in job.read("outputs.txt")


def test_baseline_may_come_from_a_branch(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.05)
    assert job.follow().returncode == 1
    for words in (
        ["init", "-q", "-b", "benchkit-data"],
        ["add", "results/base"],
        ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "runs of main"],
    ):
        assert job.run("git", *words).returncode == 0
    shutil.rmtree(tmp_path / "results" / "base")
    paths = "old=git:benchkit-data:results/base\nnew=results/new\n"
    gate = str(ACTIONS / "gate" / "gate.sh")
    strict = {"BASELINE": "old", "RESULTS": paths, "ON_INCONCLUSIVE": "fail"}
    done = job.run("bash", gate, **strict)
    assert done.returncode == 4
    assert "measured elsewhere, on an unrecorded machine" in done.stdout
    (tmp_path / "benchkit.toml").write_text("[policy]\nallow_other_machine = true\n")
    assert job.run("bash", gate, **strict).returncode == 1


def test_action_measures_both_commits_with_the_policy_of_the_base(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.0)
    job.folder = tmp_path / "repo"
    write_history(job.folder, [1000, 1300, 1300])
    loose = "[stats]\nmargin = '60%'\n[[gate]]\nmetric = 'time_per_op'\nacceptable = '50%'\n"
    written = job.folder / "benchkit-gate"  # a pull request may commit the action's output files
    kept = tmp_path / "kept"
    kept.write_text("kept", encoding="utf-8")
    for policy in (job.folder / "benchkit.toml", written / "base" / "benchkit.toml"):
        policy.parent.mkdir(parents=True, exist_ok=True)
        policy.write_text(loose, encoding="utf-8")
    for name in ("benchkit.toml", "comment.md", "junit.xml", "verdict"):
        (written / name).symlink_to(kept)
    git(job.folder, "add", "--all")
    git(job.folder, "commit", "--quiet", "--message", "loosen")
    gate, base = str(ACTIONS / "gate" / "gate.sh"), git(job.folder, "rev-parse", "HEAD~3")
    more = {"BASE": base, "RUNS": str(tmp_path / "runs"), "RUNNER_TEMP": str(tmp_path)}
    scripts = {"BENCH": "./bench.sh", "BUILD": "./build.sh"}
    assert inputs(workflow("benchmark-ab")) == scripts
    scripts = {name: script.replace("./", "sh ") for name, script in scripts.items()}
    done = job.run("bash", gate, **more, **scripts)
    assert done.returncode == 1, done.stderr
    assert "margin 3%" in job.read("../summary.md")
    assert len((tmp_path / "runs").read_text().splitlines()) == 8
    assert kept.read_text(encoding="utf-8") == "kept"
    assert (written / "verdict").read_text(encoding="utf-8").startswith("fail\n")
    git(job.folder, "commit", "--quiet", "--allow-empty", "--message", "nothing")
    more |= {"BASE": git(job.folder, "rev-parse", "HEAD~1"), "RESULTS": "others"}
    assert job.run("bash", gate, **more, BENCH=scripts["BENCH"]).returncode == 0


def test_output_folder_is_never_a_committed_link(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.0)
    (tmp_path / "bin" / "benchkit").write_text("#!/bin/sh\n", encoding="utf-8")
    outside = tmp_path / "outside"
    outside.mkdir()
    for output, link in (("benchkit-gate", "benchkit-gate"), ("deep/gate", "deep")):
        (tmp_path / link).symlink_to(outside)
        done = job.run("bash", str(ACTIONS / "gate" / "gate.sh"), OUTPUT=output)
        assert done.returncode == 0, done.stderr
        assert list(outside.iterdir()) == []
        assert list((tmp_path / output).iterdir()) == [tmp_path / output / "verdict"]


def test_named_policy_is_taken_from_the_base(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.0)
    show = '#!/bin/sh\nwhile [ "$1" ]; do [ "$1" != --policy ] || cat "$2"; shift; done\n'
    (tmp_path / "bin" / "benchkit").write_text(show)
    job.folder = tmp_path / "repo"
    names = ("ci/gate", "ci/added", "base/ci/gate", "ci/written", "../outside", "results/run")
    files = [job.folder / f"{name}.toml" for name in names]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
    files[0].write_text("of the base")
    git(job.folder, "init", "--quiet")
    for _ in "base", "change":
        git(job.folder, "add", "--all")
        git(job.folder, "commit", "--quiet", "--message", "policies")
        for name, file in zip(names, files, strict=True):
            file.write_text(f"{name} of the change")
        files[3].unlink()
    files[3].write_text("ci/written by a step")
    (job.folder / "results" / "measured.txt").touch()
    gate = ("bash", str(ACTIONS / "gate" / "gate.sh"))
    more = {"BENCH": "./bench.sh", "BASE": "HEAD~1", "RUNNER_TEMP": str(tmp_path)}
    for policy, environment, expected in (
        ("ci/gate.toml", more, "of the base"),
        (f"{job.folder}/ci/gate.toml", more, "of the base"),
        ("ci/added.toml", more, ""),
        ("ci/written.toml", more, "ci/written by a step"),
        ("../outside.toml", more, "../outside of the change"),
        ("ci/gate.toml", {}, "base/ci/gate of the change"),
        ("ci/added.toml", {}, "ci/added of the change"),
    ):
        done = job.run(*gate, POLICY=policy, **environment)
        assert (done.returncode, done.stdout) == (0, expected), (policy, done.stderr)
    assert [path.name for path in files[5].parent.iterdir()] == ["measured.txt"]


#: Fakes GitHub's command line: one pull request, scripted comments, recorded calls.
GH = """#!/bin/sh
echo "$@" >> calls.txt
case "$*" in
  *"/pulls -f"*) cat number.txt ;;
  *"/comments --jq"*) cat own.txt ;;
esac
for word in "$@"; do case $word in body=@*) cp "${word#body=@}" body.txt ;; esac; done
"""


@pytest.mark.parametrize(
    ("gate", "number", "earlier", "verdict", "when", "call"),
    [
        (
            "benchkit-gate",
            "7",
            "",
            "fail\n",
            "when-changed",
            "POST repos/o/r/issues/7/comments",
        ),
        (
            "benchkit-gate",
            "7",
            "",
            "pass\n",
            "when-changed",
            "POST repos/o/r/issues/7/comments",
        ),
        ("benchkit-gate", "7", "", "pass\nnothing-unshown\n", "when-changed", ""),
        (
            "benchkit-gate",
            "7",
            "",
            "pass\nnothing-unshown\n",
            "always",
            "--method POST repos/o/r/issues/7",
        ),
        (
            "benchkit-gate-linux",
            "7",
            "42",
            "pass\nnothing-unshown\n",
            "when-changed",
            "PATCH repos/o/r/issues/comments/42",
        ),
        (
            "benchkit-gate",
            "7",
            "42",
            "fail\n",
            "when-changed",
            "PATCH repos/o/r/issues/comments/42",
        ),
        ("benchkit-gate", "", "", "fail\n", "when-changed", ""),
    ],
)
def test_single_comment_is_posted_and_then_updated(
    tmp_path: Path, gate: str, number: str, earlier: str, verdict: str, when: str, call: str
) -> None:
    job = Job(tmp_path, 1.0)
    for name, text in (("number.txt", number), ("own.txt", earlier), ("bin/gh", GH)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bin" / "gh").chmod(0o755)
    folder = tmp_path / "benchkit-gates" / gate
    folder.mkdir(parents=True)
    (folder / "verdict").write_text(verdict, encoding="utf-8")
    (folder / "comment.md").write_text("<!-- benchkit-gate -->\n### ✗ Over\n", encoding="utf-8")
    done = job.run(
        "bash",
        str(ACTIONS / "comment" / "comment.sh"),
        GITHUB_REPOSITORY="o/r",
        HEAD_OWNER="someone",
        HEAD_BRANCH="fix",
        HEAD_SHA="abc",
        WHEN=when,
    )
    assert done.returncode == 0, done.stderr
    calls = job.read("calls.txt")
    assert "head=someone:fix" in calls
    assert call in calls
    assert (f'startswith("<!-- {gate} -->")' in calls) == bool(number)
    body = tmp_path / "body.txt"
    assert body.exists() == bool(call)
    if call:
        name = gate.removeprefix("benchkit-gate").removeprefix("-")
        lead = f"**{name}**\n\n" if name else ""
        assert body.read_text(encoding="utf-8") == f"<!-- {gate} -->\n{lead}### ✗ Over\n"


def test_gates_of_a_matrix_have_separate_artefacts_and_comments(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.05)
    assert job.follow().returncode == 1
    for name in ("linux/go 1.26", "two\nlines"):
        gate = str(ACTIONS / "gate" / "gate.sh")
        assert job.run("bash", gate, **inputs(workflow()), NAME=name).returncode == 1
    artifacts = re.findall(r"^artifact=(.*)$", job.read("outputs.txt"), re.MULTILINE)
    assert artifacts == ["benchkit-gate", "benchkit-gate-linux-go-1.26", "benchkit-gate-two-lines"]
    for name, text in (("number.txt", "7"), ("own.txt", ""), ("bin/gh", GH)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bin" / "gh").chmod(0o755)
    for artifact in (*artifacts, "benchkit-gate; rm -r x"):
        shutil.copytree(tmp_path / "benchkit-gate", tmp_path / "benchkit-gates" / artifact)
    (tmp_path / "benchkit-gates" / "linked").mkdir()
    (tmp_path / "benchkit-gates/linked/comment.md").symlink_to(tmp_path / "number.txt")
    head = {"HEAD_OWNER": "o", "HEAD_BRANCH": "b", "HEAD_SHA": "abc", "GITHUB_REPOSITORY": "o/r"}
    done = job.run("bash", str(ACTIONS / "comment" / "comment.sh"), **head)
    assert done.returncode == 0, done.stderr
    assert job.read("calls.txt").count("--method POST") == 3


def test_extra_packages_are_installed_with_benchkit(tmp_path: Path) -> None:
    job = Job(tmp_path, 1.0)
    fake = '#!/bin/sh\n[ "$2" = venv ] && mkdir -p "$3/bin" && cp pip "$3/bin/pip"\n'
    record = '#!/bin/sh\nprintf "%s|" "$PIP_CACHE_DIR" "$@" > "$RUNNER_TEMP/pip.txt"\n'
    for path, text in ((tmp_path / "bin" / "python", fake), (tmp_path / "pip", record)):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    folder = {"RUNNER_TEMP": str(tmp_path), "GITHUB_PATH": str(tmp_path / "path.txt")}
    script = str(ACTIONS / "gate" / "install.sh")
    for packages, more in (("", ""), ("one\n\ntwo [s3]\n", "one|two [s3]|")):
        done = job.run(
            "bash", script, **folder, PACKAGES=packages, GITHUB_ACTION_PATH=str(ACTIONS / "gate")
        )
        assert done.returncode == 0, done.stderr
        installed = job.read("pip.txt")
        assert installed.startswith(f"{tmp_path}/benchkit-pip|install|--quiet|")
        assert installed.endswith(f"/../../..|{more}")
    assert job.read("path.txt").splitlines() == [f"{tmp_path}/benchkit/bin"] * 2


def test_third_party_actions_are_pinned_by_commit() -> None:
    files = [*ACTIONS.glob("*/action.yml"), *(ROOT / ".github" / "workflows").glob("*.yml")]
    used = [
        line
        for file in files
        for line in re.findall(r"uses: (\S+@.*)", file.read_text(encoding="utf-8"))
    ]
    assert len(used) > 4
    assert [line for line in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", line)] == []
