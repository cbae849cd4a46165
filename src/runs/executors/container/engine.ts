import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Engine } from '../../../config/executors/container-kind.ts';
import { AppError, messageOf, systemErrorCode } from '../../../domain/errors.ts';
import type { Logger } from '../../../domain/ports/logger.ts';
import type { Environment } from '../../../domain/runs/reserved-variables.ts';
import type { AttemptKey } from '../files/run-paths.ts';

const execute = promisify(execFile);

/** The labels by which the container of an attempt is found after a crash. */
export const RUN_LABEL = 'dockbell.run';
export const ATTEMPT_LABEL = 'dockbell.attempt';

const TIMEOUT_MS = 60_000;
/** The start of the daemon does not wait longer for an engine. */
const OPEN_TIMEOUT_MS = 10_000;
/** An engine can be busy; a container that is still there after these attempts is logged. */
const ATTEMPTS = 3;
const ATTEMPT_PAUSE_MS = 250;

/** Variables with which users select the engine, its configuration and its registry. */
const ENGINE_VARIABLE =
  /^(?:HOME|USER|XDG_[A-Z_]+|DOCKER_[A-Z_]+|CONTAINERS?_[A-Z_]+|PODMAN_[A-Z_]+|STORAGE_(?:DRIVER|OPTS)|REGISTRY_AUTH_FILE|DBUS_SESSION_BUS_ADDRESS|(?:https?|no)_proxy|(?:HTTPS?|NO)_PROXY)$/;

/** Does this variable change how the engine works, so that no secret of a run can have its name? */
export function isEngineVariable(name: string): boolean {
  return ENGINE_VARIABLE.test(name);
}

/** The environment of the engine itself: what it needs of that of the daemon. */
export function pickEngineVariables(environment: Environment, searchPath: string): Record<string, string> {
  const picked = Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && isEngineVariable(name) ? [[name, value]] : [],
  );
  return { ...Object.fromEntries(picked), PATH: searchPath };
}

/** The engine on this machine. */
export class ContainerEngine {
  readonly name: Engine;
  readonly environment: Record<string, string>;
  readonly #logger: Logger;

  constructor(name: Engine, environment: Record<string, string>, logger: Logger) {
    this.name = name;
    this.environment = environment;
    this.#logger = logger;
  }

  /** Throws `config_invalid` if the program does not exist. An engine that does not answer is logged: it may answer later. */
  async open(): Promise<void> {
    try {
      // Without root, the first command of Podman starts a process for all containers. It keeps the environment of this
      // command, so it must not be the environment of a run with its secrets.
      await this.#run(['ps', '--quiet'], OPEN_TIMEOUT_MS);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') {
        const message = `runs.executor.engine ${this.name} cannot be used: no such program in PATH ${this.environment.PATH}; install it`;
        throw new AppError('config_invalid', message);
      }
      this.#logger.warn({ engine: this.name, err: messageOf(error) }, 'container engine does not answer');
    }
  }

  /** Kills and removes all containers of an attempt. Never throws. */
  async removeContainers(key: AttemptKey): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#tryToRemove(key);
      } catch (error) {
        if (attempt === ATTEMPTS) {
          this.#logger.error(
            { run: key.id, engine: this.name, err: messageOf(error) },
            'removing the containers of a run failed',
          );
          return;
        }
        await wait(ATTEMPT_PAUSE_MS);
      }
    }
  }

  async #tryToRemove({ id, attempt }: AttemptKey): Promise<void> {
    const filters = [`label=${RUN_LABEL}=${id}`, `label=${ATTEMPT_LABEL}=${attempt}`];
    const found = await this.#run(['ps', '--all', '--quiet', ...filters.flatMap((filter) => ['--filter', filter])]);
    const ids = found.split(/\s+/).filter((id) => /^[0-9a-f]{12,64}$/.test(id));
    if (ids.length === 0) return;
    // Podman's `rm --force` sends SIGTERM and waits 10 s first. `kill` fails for a container that does not run.
    await this.#run(['kill', ...ids]).catch(() => undefined);
    await this.#run(['rm', '--force', '--volumes', ...ids]);
  }

  async #run(args: string[], timeout = TIMEOUT_MS): Promise<string> {
    const options = { env: this.environment, timeout, killSignal: 'SIGKILL' } as const;
    return (await execute(this.name, args, options)).stdout;
  }
}
