import type { Logger } from '../../domain/ports/logger.ts';
import type { RunArtifacts } from '../../domain/ports/run-files.ts';
import { type Hold, HoldLost, untilAnswered, type WorkerApi } from './worker-api.ts';

interface UploadParts {
  api: Pick<WorkerApi, 'storeArtifact'>;
  artifacts: Pick<RunArtifacts, 'sizes' | 'open'>;
  /** Aborted when the run is lost. */
  ended: AbortSignal;
  logger: Logger;
}

/**
 * Sends the artifacts of an attempt to the daemon, before its end is reported. One that cannot be sent does not change how the
 * run ended. Throws `HoldLost`.
 */
export async function uploadArtifacts(hold: Hold, parts: UploadParts): Promise<void> {
  const owner = { run: hold.id, attempt: hold.fence };
  for (const number of (await parts.artifacts.sizes(owner)).keys()) {
    try {
      await uploadArtifact(hold, number, parts);
    } catch (error) {
      if (error instanceof HoldLost || parts.ended.aborted) throw error;
      parts.logger.warn({ err: error, artifact: number }, 'sending an artifact failed');
    }
  }
}

async function uploadArtifact(hold: Hold, number: number, { api, artifacts, ended }: UploadParts): Promise<void> {
  const file = await artifacts.open({ run: hold.id, attempt: hold.fence }, number);
  if (file === null) return;
  const { size, content } = file;
  const send = (offset: number, bytes: Uint8Array) =>
    untilAnswered(() => api.storeArtifact(hold, { number, size, offset, bytes }), ended);
  let offset = 0;
  for await (const bytes of content as AsyncIterable<Uint8Array>) {
    await send(offset, bytes);
    offset += bytes.byteLength;
  }
  if (size === 0) await send(0, new Uint8Array());
}
