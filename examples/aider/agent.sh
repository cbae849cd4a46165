#!/bin/sh
# Executes a run with aider. The prompt is in prompt.md. The payload is a read-only file: it never becomes an argument.
set -eu

# aider may edit files of the run directory without a question. It neither suggests shell commands nor uses git.
aider --message-file prompt.md \
  --read event-payload.json \
  --yes-always \
  --no-suggest-shell-commands \
  --no-git \
  --no-check-update \
  --analytics-disable \
  --no-pretty \
  --no-stream

# aider also ends with 0 if the model did not answer.
if ! test -s note.md; then
  echo "aider wrote no note.md" >&2
  exit 1
fi
cat note.md
