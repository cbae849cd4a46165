#!/bin/sh
# Executes a run with OpenAI Codex. Standard input is the prompt. The payload stays a file: it never becomes an argument.
set -eu

# Commands of the agent run in its sandbox: they can read, but neither write nor use the network.
exec codex exec \
  --sandbox read-only \
  --skip-git-repo-check \
  --ephemeral \
  -
