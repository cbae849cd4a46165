#!/bin/sh
# Executes a run with Claude Code. Standard input is the prompt. The payload stays a file: it never becomes an argument.
set -eu

# The agent may read files of the run directory. Nobody can approve anything else, so it is denied.
exec claude --print \
  --output-format text \
  --max-turns 30 \
  --allowedTools "Read,Glob,Grep" \
  --disallowedTools "Bash,Edit,Write,NotebookEdit,WebFetch,WebSearch"
