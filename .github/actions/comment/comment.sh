#!/usr/bin/env bash
# Posts the comment.md of each gate on the pull request that the finished run belongs to, or updates the comment that
# is there. The pull request is told by the event, never by the artifact: code of a fork may have written that.
set -euo pipefail

most=20 # gates of one run that are commented on

number=$(gh api --method GET "repos/$GITHUB_REPOSITORY/pulls" -f state=open -f "head=$HEAD_OWNER:$HEAD_BRANCH" \
    --jq ".[] | select(.head.sha == \"$HEAD_SHA\") | .number" | head -n 1)
if [ -z "$number" ]; then
    echo "no open pull request has $HEAD_SHA at its head: nothing to comment on"
    exit 0
fi

comment() {
    local folder=$1 gate=$2 marker own body
    marker="<!-- $gate -->"
    body=$(mktemp)
    {
        echo "$marker"
        [ "$gate" = benchkit-gate ] || printf '**%s**\n\n' "${gate#benchkit-gate-}"
        sed '1{/^<!-- benchkit-gate -->$/d;}' "$folder/comment.md"
    } >"$body"
    own=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" \
        --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | head -n 1)
    if [ -n "$own" ]; then
        gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" -F "body=@$body"
        echo "$gate: updated the comment on #$number"
    elif [ "${WHEN:-when-changed}" = always ] || [ "$(cat "$folder/verdict")" != "$(printf 'pass\nnothing-unshown')" ]; then
        gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" -F "body=@$body"
        echo "$gate: commented on #$number"
    else
        echo "$gate: all limits hold: no comment"
    fi
}

count=0
for found in "${FOLDER:-benchkit-gates}"/*/comment.md; do
    [ -f "$found" ] && [ ! -L "$found" ] || continue # a link could name any file of the runner
    folder=$(dirname "$found")
    gate=$(basename "$folder")
    case $gate in *[!A-Za-z0-9._-]*) continue ;; esac # no gate of benchkit's is called that
    count=$((count + 1))
    [ "$count" -le "$most" ] || break
    comment "$folder" "$gate"
done
[ "$count" -gt 0 ] || echo "no gate left a comment.md: nothing to comment on"
