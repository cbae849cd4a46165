import { messageOf } from '../../core/errors.ts';
import type { Accepted, ExecutionRequest, Executor, NotStarted } from '../../core/ports/runs/executor.ts';
import type { Run, RunResult } from '../../core/resources/run.ts';
import { formatInstant } from '../../core/time/clock.ts';
import { readPackageVersion } from '../../files/package-version.ts';
import { openGuardedConnections } from '../../outbound/guarded-connections.ts';
import { describeStop, failed, notStarted } from '../attempt-results.ts';
import type { ExecutorParts, ReportAccess } from '../executor-kind.ts';
import { openAttemptLog } from './attempt-log.ts';
import { composeBody, composeHeaders, nameAttempt, type ReportFields } from './compose-request.ts';
import { HttpAttempt } from './http-attempt.ts';
import type { HttpSettings } from './http-settings.ts';
import type { HttpTiming, Receiver } from './receiver.ts';
import { ReceiverCircuit } from './receiver-circuit.ts';
import { ReportTokens } from './report-tokens.ts';
import { findSigningSecret } from './signing-secret.ts';

const TIMING: HttpTiming = { backoff: { firstMs: 1000, maxMs: 60_000, jitter: 0.2 }, executingAfterMs: 2000 };

/**
 * Executor `http`: posts each attempt to a receiver, which executes it and responds with the result, or accepts it and reports
 * the result later. A request is repeated with the same `Idempotency-Key`, also by the next daemon after a crash, so the receiver gets each attempt at least once.
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
  return {
    type: 'http',
    execute: (request) => execute(request, receiver),
    // The receiver recognizes a repeated request, so an attempt may start again.
    wasStarted: async () => false,
    endLeftovers: async () => undefined,
  };
}

async function execute(request: ExecutionRequest, receiver: Receiver): Promise<RunResult | NotStarted | Accepted> {
  if (request.signal.aborted) return describeStop(request.signal);
  try {
    const result = await executeLogged(request, receiver);
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

/** Throws if the secret cannot be read, the token cannot be stored, or the log cannot be opened. */
async function executeLogged(
  request: ExecutionRequest,
  receiver: Receiver,
): Promise<RunResult | NotStarted | Accepted> {
  const { settings, parts, userAgent } = receiver;
  const { run } = request.input;
  const found = await findSigningSecret(settings.secretName, parts.factory, parts.secrets);
  if (!found.ok) return notStarted(request, found.problem);
  const deadlineAt = parts.clock.wallMs() + parts.timeoutMs;
  const access = settings.mode === 'async' ? await receiver.reports.open(run) : null;
  const masked = [...request.secrets.values(), found.secret, ...(access === null ? [] : [access.token])];
  const mask = () => parts.maskOutput(masked);
  const log = await openAttemptLog({
    run,
    logsDir: parts.logsDir,
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
    const outcome = await new HttpAttempt(request, message, log, receiver).execute();
    return outcome.state === 'failed' ? failed(await maskText(outcome.error!, mask()), outcome.exitCode) : outcome;
  } finally {
    await log.close();
  }
}

function describeAccess({ attempt }: Run, { url, token }: ReportAccess, deadlineAt: number): ReportFields {
  return { url, token: token.reveal(), fence: attempt, deadline: formatInstant(deadlineAt) };
}

async function maskText(text: string, mask: ReturnType<ExecutorParts['maskOutput']>): Promise<string> {
  mask.end(text);
  return Buffer.concat(await mask.toArray()).toString('utf8');
}
