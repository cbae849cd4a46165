import { setTimeout as wait } from 'node:timers/promises';
import type { ApiClient } from '../../client/create-api-client.ts';
import type { components } from '../../client/openapi.d.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import type { AgentFileContent } from '../../domain/definitions/agent-files.ts';
import type { RunId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { ArtifactPart } from '../../domain/ports/run-files.ts';
import type { RunResult } from '../../domain/resources/run.ts';

export type ClaimedRun = components['schemas']['ClaimedRun'];

/** An attempt that this worker holds. */
export interface Hold {
  id: RunId;
  fence: number;
}

/** Output of an attempt, and its position in the output that was sent before, in bytes. */
export interface OutputPart {
  text: string;
  offset: number;
}

/** What the worker states about itself. */
export interface WorkerIdentity {
  id: string;
  name: string;
  labels: string[];
  version: string;
  concurrency: number;
}

/** The daemon no longer knows this hold: the run was cancelled, has timed out, or was given to another worker. */
export class HoldLost extends Error {}

/** A request that the daemon rejects again if it is repeated. */
export class Rejected extends Error {}

/** The requests of a worker, each sent once. */
export interface WorkerApi {
  claim(request: { limit: number; waitSeconds: number; holding: readonly Hold[] }): Promise<ClaimedRun[]>;
  /** Resolves with the length of the lease in milliseconds, as all requests that renew it. */
  start(hold: Hold): Promise<number>;
  heartbeat(hold: Hold, output: OutputPart): Promise<number>;
  complete(hold: Hold, result: RunResult, output: OutputPart): Promise<void>;
  handBack(hold: Hold, reason: string): Promise<void>;
  /** Throws `Rejected` if the daemon does not accept the artifact. */
  storeArtifact(hold: Hold, part: ArtifactPart): Promise<void>;
  payload(id: RunId): Promise<Uint8Array>;
  agentFiles(id: RunId): Promise<AgentFileContent[]>;
}

/** @param factory only runs of this factory; `null` for all that the token reaches */
export function createWorkerApi(api: ApiClient, worker: WorkerIdentity, factory: string | null): WorkerApi {
  const path = ({ id }: Pick<Hold, 'id'>) => ({ path: { id } });
  const renewed = ({ lease_seconds: seconds }: { lease_seconds: number }) => seconds * 1000;
  return {
    claim: async ({ limit, waitSeconds, holding }) => {
      const body = { limit, wait_seconds: waitSeconds, worker, secrets: true, holding: [...holding] };
      const chosen = factory === null ? body : Object.assign(body, { factory });
      const { data } = await explainRejection(readAnswer(api.POST('/api/v1/runs/claim', { body: chosen })));
      return data;
    },
    start: async (hold) => {
      const body = { fence: hold.fence };
      return renewed(await ofHold(readAnswer(api.POST('/api/v1/runs/{id}/start', { params: path(hold), body }))));
    },
    heartbeat: async (hold, { text, offset }) => {
      const body = { fence: hold.fence, log: text, log_offset: offset, worker };
      return renewed(await ofHold(readAnswer(api.POST('/api/v1/runs/{id}/heartbeat', { params: path(hold), body }))));
    },
    complete: async (hold, result, output) => {
      const body = presentResult(hold, result, output);
      await ofHold(readAnswer(api.POST('/api/v1/runs/{id}/complete', { params: path(hold), body })));
    },
    handBack: async (hold, reason) => {
      const body = { fence: hold.fence, reason: reason.slice(0, MAX_TEXT) };
      await ofHold(readAnswer(api.POST('/api/v1/runs/{id}/hand-back', { params: path(hold), body })));
    },
    storeArtifact: async (hold, { number, size, offset, bytes }) => {
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
      const body = { fence: hold.fence, size, offset, content_base64: content };
      const params = { path: { id: hold.id, number } };
      await ofHold(readAnswer(api.POST('/api/v1/runs/{id}/artifacts/{number}', { params, body }))).catch(
        explainArtifact,
      );
    },
    payload: async (id) => {
      const answer = api.GET('/api/v1/runs/{id}/attachments/event-payload.json', {
        params: path({ id }),
        parseAs: 'arrayBuffer',
      });
      return new Uint8Array((await ofHold(readAnswer(answer))) as ArrayBuffer);
    },
    agentFiles: async (id) => {
      const { data } = await ofHold(readAnswer(api.GET('/api/v1/runs/{id}/agent-files', { params: path({ id }) })));
      return data.map((file) => ({ path: file.path, bytes: Buffer.from(file.content_base64, 'base64') }));
    },
  };
}

/** Longest text that the API accepts for an error or a reason. */
const MAX_TEXT = 1000;

function presentResult({ fence }: Hold, { state, error, exitCode, output: written }: RunResult, output: OutputPart) {
  const body = {
    fence,
    state: state === 'succeeded' ? ('succeeded' as const) : ('failed' as const),
    exit_code: exitCode,
    log: output.text,
    log_offset: output.offset,
  };
  const failure = state === 'succeeded' ? {} : { error: (error ?? 'failed').slice(0, MAX_TEXT) };
  const result = written === null || written === undefined ? {} : { result: written as unknown as JsonObject };
  return Object.assign(body, failure, result);
}

/** 404: for a token with the role `worker`, a run that it does not hold does not exist. */
async function ofHold<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    const status = error instanceof RequestFailed ? error.problem.status : 0;
    if (status === 404 || status === 409) throw new HoldLost((error as Error).message, { cause: error });
    throw error;
  });
}

/** 413: of a proxy. */
function explainArtifact(error: unknown): never {
  const isFinal = error instanceof RequestFailed && [400, 413].includes(error.problem.status);
  throw isFinal ? new Rejected(error.message, { cause: error }) : error;
}

const REJECTIONS: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 409, 422]);

async function explainRejection<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    const isFinal = error instanceof RequestFailed && REJECTIONS.has(error.problem.status);
    throw isFinal ? new Rejected(error.message, { cause: error }) : error;
  });
}

const RETRY_MS = 1000;

/** Repeats a request until the daemon answers or rejects it, the hold is lost, or the signal is aborted. */
export async function untilAnswered<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (error instanceof HoldLost || error instanceof Rejected || signal.aborted) throw error;
      await wait(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
