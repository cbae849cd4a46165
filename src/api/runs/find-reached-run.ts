import type { FastifyRequest } from 'fastify';
import type { RunId } from '../../domain/ids.ts';
import type { RunReader } from '../../domain/ports/run-queue.ts';
import type { Run } from '../../domain/resources/run.ts';
import { principalOf, requireReached } from '../server/reach.ts';

/**
 * The run of the path. For a token with the role `worker`, other runs than those that it claimed last do not exist. So it
 * neither reads nor ends the runs of another worker. The receiver of a run gets no further than its own run.
 */
export async function findReachedRun(
  request: FastifyRequest<{ Params: { id: string } }>,
  runs: Pick<RunReader, 'get' | 'attempts'>,
): Promise<Run> {
  const run = requireReached(request, 'run', await runs.get(request.params.id as RunId));
  const { role, name, hold } = principalOf(request);
  if (role !== 'worker' || hold !== null) return run;
  const last = (await runs.attempts([run.id])).get(run.id)?.at(-1);
  const isClaimed = last?.executor === 'queue' && last.worker === name;
  return requireReached(request, 'run', isClaimed ? run : null);
}

/** As `findReachedRun`, for what a worker needs only while it holds the run. */
export async function findReadableRun(
  request: FastifyRequest<{ Params: { id: string } }>,
  runs: Pick<RunReader, 'get' | 'attempts'>,
): Promise<Run> {
  const run = await findReachedRun(request, runs);
  const { role, hold } = principalOf(request);
  const isReadable = role !== 'worker' || (run.state === 'running' && (hold === null || hold.fence === run.attempt));
  return requireReached(request, 'run', isReadable ? run : null);
}
