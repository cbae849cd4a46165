// A signed POST for each attempt. In: an `ExecutionRequest`. Out: the end that the receiver reports, or that it accepted the
// attempt.
// Next: `http-attempt.ts` for repeated requests and the deadline, `read-answer.ts` for what an answer means,
// `report-tokens.ts` for reports of the receiver, `cancel-notifications.ts` for cancellations, `receiver-circuit.ts` for a
// receiver that fails.

import type { HttpSettings } from '../../../config/executors/http-kind.ts';
import { messageOf } from '../../../domain/errors.ts';
import type { Accepted, ExecutionRequest, Executor, NotStarted } from '../../../domain/ports/executor.ts';
import type { Run, RunResult } from '../../../domain/resources/run.ts';
import { maskTexts } from '../../../domain/runs/run-output.ts';
import { formatInstant } from '../../../domain/time/clock.ts';
import { openGuardedConnections } from '../../../outbound/guarded-connections.ts';
import { readPackageVersion } from '../../../platform/files/package-version.ts';
import { describeStop, notStarted } from '../attempt-results.ts';
import type { ExecutorParts, ReportAccess } from '../executor-parts.ts';
import { openAttemptLog } from './attempt-log.ts';
import { CancelNotifications } from './cancel-notifications.ts';
import { composeBody, composeHeaders, nameAttempt, type ReportFields } from './compose-request.ts';
import { HttpAttempt } from './http-attempt.ts';
import type { HttpTiming, Receiver } from './receiver.ts';
import { ReceiverCircuit } from './receiver-circuit.ts';
import { ReportTokens } from './report-tokens.ts';
import { findSigningSecret } from './signing-secret.ts';

/** As for the results that workers report. */
const MAX_ERROR_CHARACTERS = 1000;

const TIMING: HttpTiming = { backoff: { firstMs: 1000, maxMs: 60_000, jitter: 0.2 }, executingAfterMs: 2000 };

/**
 * Executor `http`: posts each attempt to a receiver, which executes it and responds with the result, or accepts it and reports
 * the result later. A request is repeated with the same `Idempotency-Key`, also by the next daemon after a crash, so the
 * receiver gets each attempt at least once.
 */
export async function createHttpExecutor(
  settings: HttpSettings,
  parts: ExecutorParts,
  timing: HttpTiming = TIMING,
): Promise<Executor> {
  const receiver: Receiver = {
    timing,
    settings,
    parts,
    userAgent: `dockbell/${readPackageVersion()}`,
    connections: await openGuardedConnections(new URL(settings.url), { allowPrivate: settings.allowPrivateAddresses }),
    circuit: new ReceiverCircuit(parts.clock),
    reports: new ReportTokens(parts.openReports),
  };
  const notifications = new CancelNotifications(receiver);
  return {
    type: 'http',
    execute: (request) => execute(request, receiver, notifications),
    noteCancelled: (run) => notifications.send(run),
    // The receiver recognizes a repeated request, so an attempt may start again.
    wasStarted: async () => false,
    endLeftovers: async () => undefined,
  };
}

async function execute(
  request: ExecutionRequest,
  receiver: Receiver,
  notifications: CancelNotifications,
): Promise<RunResult | NotStarted | Accepted> {
  if (request.signal.aborted) return describeStop(request.signal);
  try {
    const { result, wasSent } = await executeLogged(request, receiver);
    // The receiver may have stored the request, and executes it. With `mode: sync`, the end of the connection is the notification.
    if (result.state === 'cancelled' && wasSent && receiver.settings.mode === 'async')
      notifications.send(request.input.run);
    if (result.state !== 'not_started') {
      const attempt = nameAttempt(request.input.run);
      receiver.circuit.forget(attempt);
      receiver.reports.forget(attempt);
    }
    return result;
  } catch (error) {
    return notStarted(request, messageOf(error));
  }
}

interface Executed {
  result: RunResult | NotStarted | Accepted;
  /** Did the receiver get a request, perhaps? */
  wasSent: boolean;
}

/** Throws if the secret cannot be read, the token cannot be stored, or the log cannot be opened. */
async function executeLogged(request: ExecutionRequest, receiver: Receiver): Promise<Executed> {
  const { settings, parts, userAgent } = receiver;
  const { run } = request.input;
  const found = await findSigningSecret(settings.secretName, parts.factory, parts.secrets);
  if (!found.ok) return { result: notStarted(request, found.problem), wasSent: false };
  const deadlineAt = parts.clock.wallMs() + parts.timeoutMs;
  const access = settings.mode === 'async' ? await receiver.reports.open(run) : null;
  const masked = [...request.secrets.values(), found.secret, ...(access === null ? [] : [access.token])];
  const mask = () => parts.maskOutput(masked);
  const log = await openAttemptLog({
    run,
    openOutput: parts.openOutput,
    mask: mask(),
    clock: parts.clock,
    onFailure: (error) => parts.logger.warn({ err: error, run: run.id }, 'writing the log of a run failed'),
  });
  try {
    const message = {
      body: composeBody(request, access && describeAccess(run, access, deadlineAt)),
      headers: composeHeaders(run, userAgent),
      secret: found.secret,
      deadlineAt,
    };
    const attempt = new HttpAttempt(request, message, log, receiver);
    const outcome = await attempt.execute();
    return { result: await maskResult(outcome, (text) => maskText(text, mask())), wasSent: attempt.wasSent };
  } finally {
    await log.close();
  }
}

function describeAccess({ attempt }: Run, { url, token }: ReportAccess, deadlineAt: number): ReportFields {
  return { url, token: token.reveal(), fence: attempt, deadline: formatInstant(deadlineAt) };
}

async function maskResult(
  result: RunResult | NotStarted | Accepted,
  mask: (text: string) => Promise<string>,
): Promise<RunResult | NotStarted | Accepted> {
  if (result.state !== 'failed' && result.state !== 'succeeded') return result;
  // Cut after the mask, which does not recognize half of a secret.
  const error = result.error === null ? null : (await mask(result.error)).slice(0, MAX_ERROR_CHARACTERS);
  return { ...result, error, ...(result.output == null ? {} : { output: await maskTexts(result.output, mask) }) };
}

async function maskText(text: string, mask: ReturnType<ExecutorParts['maskOutput']>): Promise<string> {
  mask.end(text);
  return Buffer.concat(await mask.toArray()).toString('utf8');
}
