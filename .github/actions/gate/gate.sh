#!/usr/bin/env bash
# Runs the gate as the action's inputs say. What CI shows is written before the exit code is handed on.
set -euo pipefail

results=()
while IFS= read -r path; do
    [ -z "$path" ] || results+=("$path")
done <<<"${RESULTS:-results}"
output=${OUTPUT:-benchkit-gate}
# The artefact's name marks the comment, too; other characters are not allowed in it.
name=$(printf '%s' "${NAME:-}" | tr -c 'A-Za-z0-9._-' '-')
[ -z "${GITHUB_OUTPUT:-}" ] || echo "artifact=benchkit-gate${name:+-$name}" >>"$GITHUB_OUTPUT"
policy=()
[ -z "${BASELINE:-}" ] || policy+=(--baseline "$BASELINE")
# A pull request may have committed any of these: neither its content nor what a link points to counts.
part=$output
while [[ $output != /* && $part != . ]]; do
    [ ! -L "$part" ] || rm -- "$part"
    part=$(dirname -- "$part")
done
mkdir -p "$output"
output=$(cd "$output" && pwd)
rm -rf "$output"/{junit.xml,comment.md,verdict}
# A pull request does not loosen its own limits: the policy of the base's commit or checkout comes first.
own=${POLICY:-benchkit.toml}
own=${own#"$PWD"/}
if [ -z "${BENCH:-}" ]; then
    [[ $own == /* ]] || own=${BASELINE:-base}/$own
else
    repo=$PWD
    [[ /$own/ != */../* ]] || own=$repo/$own
    # A new folder outside the checkout, so that no file of the checked-out commit is a setting.
    cd "$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/benchkit-gate-XXXXXX")"
    for file in benchkit.toml "$own"; do
        [[ $file != /* ]] || continue
        mkdir -p "$(dirname "$file")"
        git -C "$repo" show "$BASE:./$file" >"$file" 2>/dev/null || rm "$file"
    done
    out=${results[0]}
    [[ $out == /* ]] || out=$repo/$out
    results=("$out")
    # Nor does a series resume from runs of the base, or obey a sidecar, that a pull request committed.
    { git -C "$repo" ls-files -z -- "$out" 2>/dev/null || true; } | (cd "$repo" && xargs -0 rm -f --)
    [[ -z "${POLICY:-}" || $POLICY == /* ]] || POLICY=$repo/$POLICY
    if [[ $own == /* || ! -f $own ]] && git -C "$repo" ls-files --error-unmatch "$own" >/dev/null 2>&1; then
        echo "benchkit-gate: the base has no $own; that of the checked-out commit is not used" >&2
        own=benchkit.toml POLICY=
    fi
    benchkit ab "$BASE" HEAD --repo "$repo" ${BUILD:+--build "$BUILD"} --out "$out" -- bash -c "$BENCH"
fi
[ ! -f "$own" ] || POLICY=$own
[ -z "${POLICY:-}" ] || policy+=(--policy "$POLICY")
[ -z "${ON_INCONCLUSIVE:-}" ] || policy+=(--on-inconclusive "$ON_INCONCLUSIVE")
[ "${ALLOW_MISSING_BASELINE:-false}" != true ] || policy+=(--allow-missing-baseline)
while IFS= read -r limit; do
    [ -z "$limit" ] || policy+=(--max-overhead "$limit")
done <<<"${MAX_OVERHEAD:-}"

shown=(--github --junit "$output/junit.xml" --comment "$output/comment.md")
if [ "${SELF_TEST:-false}" = true ] &&
    ! benchkit gate "${results[@]}" "${policy[@]}" --self-test; then
    shown+=(--self-test) # which then says in everything that CI shows why it failed
fi

code=0
benchkit gate "${results[@]}" "${policy[@]}" "${shown[@]}" || code=$?
if [ -s "${GITHUB_OUTPUT:-}" ]; then
    sed -n 's/^verdict=//p; s/^not-shown=0$/nothing-unshown/p' "$GITHUB_OUTPUT" >"$output/verdict"
fi
exit "$code"
