import type { ContainerSettings } from '../../../config/executors/container-kind.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Executor } from '../../../domain/ports/executor.ts';
import { createProcessExecutor } from '../command/command-executor.ts';
import type { Program } from '../command/program.ts';
import type { ExecutorParts } from '../executor-parts.ts';
import { type ContainerUser, chooseImage, composeContainer, locateInContainer } from './compose-container.ts';
import { endContainerOf } from './container-leftovers.ts';
import { ContainerEngine, isEngineVariable, pickEngineVariables } from './engine.ts';

/** Exit code of `docker run` and `podman run` if the engine itself failed. */
const ENGINE_FAILED = 125;
/** Exit code of a container that got SIGKILL. */
const KILLED = 137;
/** Time for a container to stop after SIGTERM, when its daemon has crashed. */
const LEFTOVER_GRACE_MS = 1000;

/**
 * Executor `container`: one container for each attempt, with the directory of the attempt as its only writable volume. A
 * start is at most once: the start record, and the name of the container, which the engine accepts once. Throws
 * `config_invalid` if the engine does not exist.
 */
export async function createContainerExecutor(settings: ContainerSettings, parts: ExecutorParts): Promise<Executor> {
  if (/[:,]/.test(parts.runsDir)) {
    throw new AppError(
      'config_invalid',
      `runsDir ${parts.runsDir} contains ":" or ",", which no volume can; rename it`,
    );
  }
  const environment = pickEngineVariables(process.env, parts.searchPath);
  const engine = new ContainerEngine(settings.engine, environment, parts.logger);
  await engine.open();
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  return createProcessExecutor(createProgram(settings, engine, user), parts);
}

function createProgram(settings: ContainerSettings, engine: ContainerEngine, user: ContainerUser): Program {
  return {
    type: 'container',
    locate: locateInContainer,
    compose: ({ input, secrets }, { work }, environment) => {
      const chosen = chooseImage(settings, input);
      if (!chosen.ok) return chosen;
      const problem = findConflict(secrets.keys(), engine);
      if (problem !== null) return { ok: false, problem };
      const args = composeContainer(settings, input.run, { image: chosen.image, work, user }, environment);
      // The client reads the values of the variables from its own environment.
      return { ok: true, command: [engine.name, ...args], environment: { ...environment, ...engine.environment } };
    },
    explainExit: (code) => explainExit(code, settings),
    endMeans: ({ id, attempt }) => {
      const { name, environment } = engine;
      return { type: 'container', engine: name, environment, attempt: { id, attempt } };
    },
    endLeftovers: (attempt, started) =>
      started === undefined ? endContainerOf(attempt, engine, LEFTOVER_GRACE_MS) : engine.removeContainers(attempt),
  };
}

/** The client has its own variables and those of the run: no name can mean both. */
function findConflict(secrets: Iterable<string>, engine: ContainerEngine): string | null {
  const conflicting = [...secrets].find(isEngineVariable);
  if (conflicting === undefined) return null;
  return `secret ${JSON.stringify(conflicting)} cannot be passed to a container: ${engine.name} reads this variable; store it under another name`;
}

/** Why an exit code may not be that of the program in the container; `null` if it is. */
function explainExit(code: number, { engine, memory }: ContainerSettings): string | null {
  if (code === ENGINE_FAILED) {
    return `exit code 125: ${engine} could not run the container, or its program ended with this code; the log of the run has the message`;
  }
  if (code === KILLED) {
    return `exit code 137: killed, probably because it needed more memory than runs.executor.memory, ${memory}`;
  }
  return null;
}
