#!/bin/sh
# Executes a run with Gemini CLI. Standard input is the prompt. The payload stays a file: it never becomes an argument.
set -eu

# In this mode, tools that write files or run commands need an approval, which nobody can give: they are denied.
exec gemini --approval-mode default --output-format text
