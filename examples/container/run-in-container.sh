#!/bin/sh
# Executes a run in a container: run-in-container.sh IMAGE COMMAND [ARGUMENT…]. Standard input is the prompt.
# The container has no network, no privileges and a read-only root. It sees only the directory of the run, as /work.
set -eu

image=$1
shift
name="dockbell-$(printf %s "$DOCKBELL_RUN_ID" | tr '_' '-')"

# Left by an attempt that was killed. No two attempts of a run execute at the same time.
podman rm --force --ignore --time 5 "$name" > /dev/null 2>&1

exec podman run --name "$name" --rm --interactive --pull missing \
  --network none --read-only --tmpfs /tmp \
  --cap-drop ALL --security-opt no-new-privileges \
  --memory 2g --cpus 2 --pids-limit 256 \
  --userns keep-id --volume "$PWD:/work" --workdir /work \
  --env HOME=/tmp --env DOCKBELL_RUN_ID --env DOCKBELL_EVENT --env DOCKBELL_PAYLOAD=/work/event-payload.json \
  "$image" "$@"
