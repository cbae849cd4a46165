import type { RequestDiagnosis, RequestToDiagnose } from '../../definitions/signature/diagnose/diagnose-request.ts';
import type { PortableScheme } from '../../definitions/signature/schemes/resolve-scheme.ts';
import { TaskThread } from '../../platform/threads/task-thread.ts';

/** A request to be diagnosed, as it goes from thread to thread. */
export interface DiagnosisTask extends Pick<RequestToDiagnose, 'secrets' | 'body' | 'nowMs'> {
  scheme: PortableScheme;
  /** Name, value, name, value; values are one character for each byte. */
  rawHeaders: readonly string[];
  publicUrl: string | null;
}

/** The largest bodies take some hundred milliseconds. */
const TIMEOUT_MS = 30_000;

/** People ask one after the other; each that waits holds a body. */
const MAX_WAITING = 7;

/** Creates the thread that tests mistakes: hundreds of attempts on large bodies must not delay deliveries. */
export function createDiagnosisThread(workerUrl: URL): TaskThread<DiagnosisTask, RequestDiagnosis> {
  return new TaskThread(workerUrl, {
    timeoutMs: TIMEOUT_MS,
    maxWaiting: MAX_WAITING,
    tooMany: 'Too many requests are being diagnosed.',
    idleMs: 0,
    failure: 'the request could not be diagnosed',
  });
}
