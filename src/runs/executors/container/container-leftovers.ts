import { endSignedGroups } from '../command/leftovers.ts';
import type { AttemptKey } from '../files/run-paths.ts';
import { nameContainer } from './compose-container.ts';
import type { ContainerEngine } from './engine.ts';

/**
 * Ends the container of an attempt whose daemon no longer follows it. The client first: it may be about to create the container. It
 * passes SIGTERM on to a container. Other processes with the environment of the run, such as the network of Podman, belong to
 * all containers.
 *
 * @param graceMs between SIGTERM and SIGKILL
 */
export async function endContainerOf(attempt: AttemptKey, engine: ContainerEngine, graceMs: number): Promise<void> {
  await endSignedGroups({ in: 'cmdline', text: `--name=${nameContainer(attempt)}` }, graceMs);
  await engine.removeContainers(attempt);
}
