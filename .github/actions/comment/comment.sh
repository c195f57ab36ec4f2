#!/usr/bin/env bash
# Posts comment.md on the pull request that the finished run belongs to, or updates the comment that is there.
# The pull request is told by the event, never by the artifact: code of a fork may have written that.
set -euo pipefail

folder=${FOLDER:-benchkit-gate}
marker='<!-- benchkit-gate -->'

number=$(gh api --method GET "repos/$GITHUB_REPOSITORY/pulls" -f state=open -f "head=$HEAD_OWNER:$HEAD_BRANCH" \
    --jq ".[] | select(.head.sha == \"$HEAD_SHA\") | .number" | head -n 1)
if [ -z "$number" ]; then
    echo "no open pull request has $HEAD_SHA at its head: nothing to comment on"
    exit 0
fi

own=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$number/comments" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | head -n 1)
if [ -n "$own" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" -F "body=@$folder/comment.md"
    echo "updated the comment on #$number"
elif [ "${WHEN:-when-changed}" = always ] || [ "$(cat "$folder/verdict")" != "$(printf 'pass\nnothing-unshown')" ]; then
    gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$number/comments" -F "body=@$folder/comment.md"
    echo "commented on #$number"
else
    echo "all limits hold: no comment"
fi
