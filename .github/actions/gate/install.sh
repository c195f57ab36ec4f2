#!/usr/bin/env bash
# Installs benchkit and further packages into an environment of its own, which the next steps find on PATH.
set -euo pipefail

packages=()
while IFS= read -r package; do
    [ -z "$package" ] || packages+=("$package")
done <<<"${PACKAGES:-}"
export PIP_CACHE_DIR=$RUNNER_TEMP/benchkit-pip
python -m venv "$RUNNER_TEMP/benchkit"
"$RUNNER_TEMP/benchkit/bin/pip" install --quiet "$GITHUB_ACTION_PATH/../../.." ${packages[@]+"${packages[@]}"}
echo "$RUNNER_TEMP/benchkit/bin" >>"$GITHUB_PATH"
