import type { Run } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import type { LogTimesReader } from '../../client/log-times-reader.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliContext } from '../context.ts';

const POLL_MS = 1000;

/** The output of a run or of one attempt so far, from `offset` on. */
export async function readRunLog(
  api: ApiClient,
  id: string,
  { offset = 0, attempt }: { offset?: number; attempt?: number | undefined } = {},
): Promise<Uint8Array> {
  const params = { path: { id }, query: { offset, attempt } };
  return new Uint8Array(await readAnswer(api.GET('/api/v1/runs/{id}/log', { params, parseAs: 'arrayBuffer' })));
}

/** Has the run ended? */
export function isEnded(run: Run): boolean {
  return run.state !== 'queued' && run.state !== 'running';
}

/** Does a queued run with this reason wait until somebody changes the configuration? */
export function waitsForConfiguration({ reason }: NonNullable<Run['waiting']>): boolean {
  return reason === 'no_executor' || reason === 'factory_not_configured';
}

/**
 * Prints the output of a run until it ends. Resolves with the run as it was at its end, or when Ctrl-C or a closed pipe
 * stopped the output.
 */
export async function followRunLog(request: {
  api: ApiClient;
  context: CliContext;
  id: string;
  attempt?: number | undefined;
  /** Updated before output is printed. */
  times: LogTimesReader | null;
  print: (bytes: Uint8Array) => void;
}): Promise<Run> {
  const { api, context, id, attempt, times, print } = request;
  const stopped = AbortSignal.any([context.catchInterrupts(), context.outputClosed]);
  let offset = 0;
  for (;;) {
    // The state is read first: a log that is read after the end of the run is complete.
    const run = await readAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
    const bytes = await readRunLog(api, id, { offset, attempt });
    offset += bytes.length;
    if (bytes.length > 0) await times?.update();
    if (bytes.length > 0) print(bytes);
    if (isEnded(run) || stopped.aborted) return run;
    await context.sleep(POLL_MS, stopped);
  }
}
