import type { ContainerSettings } from '../../../config/executors/container-kind.ts';
import type { Run, RunInput } from '../../../domain/resources/run.ts';
import type { ChildEnvironment, RunPlaces } from '../command/run-environment.ts';
import type { AttemptKey } from '../files/run-paths.ts';
import { ATTEMPT_LABEL, RUN_LABEL } from './engine.ts';

/** The directory of the run inside of the container. */
const WORK = '/dockbell/run';

/** The paths of an attempt inside of its container. */
export function locateInContainer({ work, payload, workspace }: RunPlaces): RunPlaces {
  const inside = (path: string) => path.replace(work, WORK);
  return {
    work: WORK,
    temporary: '/tmp',
    payload: inside(payload),
    workspace: workspace === null ? null : inside(workspace),
  };
}

/** Unique for each attempt, so the engine rejects a second start. */
export function nameContainer({ id, attempt }: AttemptKey): string {
  return `dockbell-${id}-${attempt}`;
}

export type ChosenImage = { ok: true; image: string } | { ok: false; problem: string };

/** The image of the factory, or the allowed one that the automation names. */
export function chooseImage({ image, images }: ContainerSettings, { overrides }: RunInput): ChosenImage {
  const { environmentId } = overrides;
  if (images.length === 0 || environmentId === undefined || environmentId === null) return { ok: true, image };
  const chosen = [image, ...images].find((allowed) => allowed === environmentId);
  if (chosen !== undefined) return { ok: true, image: chosen };
  const named = JSON.stringify(environmentId);
  return { ok: false, problem: `environmentId ${named} is not an image of runs.executor.images in dockbell.yaml` };
}

/** User and group of the daemon, which owns the directory of the run. */
export interface ContainerUser {
  uid: number;
  gid: number;
}

/**
 * The arguments of `docker run` or `podman run`. They contain the names of variables and never their values, because other
 * users of the machine can see them. No text of a payload is among them.
 */
export function composeContainer(
  settings: ContainerSettings,
  run: Run,
  { image, work, user }: { image: string; work: string; user: ContainerUser },
  environment: ChildEnvironment,
): string[] {
  const { engine, network, memory, cpus, pids, pull, engineOptions, args } = settings;
  // The engine takes these values for itself, and the image has its own PATH.
  const { PATH: _, HOME: home = WORK, TMPDIR: temporary = '/tmp', ...others } = environment;
  const names = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : ['--env', name]));
  return [
    'run',
    '--rm',
    '--interactive',
    // The engine would keep the output, without a limit and with unmasked secrets.
    '--log-driver=none',
    `--name=${nameContainer(run)}`,
    `--label=${RUN_LABEL}=${run.id}`,
    `--label=${ATTEMPT_LABEL}=${run.attempt}`,
    `--pull=${pull}`,
    '--read-only',
    '--tmpfs=/tmp:rw,exec,nosuid,nodev,mode=1777',
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    `--network=${network}`,
    `--memory=${memory}`,
    `--memory-swap=${memory}`,
    `--cpus=${cpus}`,
    `--pids-limit=${pids}`,
    // Podman passes the proxies of its environment on, which can contain a password.
    ...(engine === 'podman' ? ['--http-proxy=false'] : []),
    // Without root, Podman maps users: the user of the daemon has to be the same one inside.
    ...(engine === 'podman' && user.uid !== 0 ? ['--userns=keep-id'] : []),
    `--user=${user.uid}:${user.gid}`,
    `--volume=${work}:${WORK}:rw,Z`,
    `--workdir=${WORK}`,
    `--env=HOME=${home}`,
    `--env=TMPDIR=${temporary}`,
    ...names,
    ...engineOptions,
    image,
    ...args,
  ];
}
