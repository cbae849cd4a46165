import type { ExecutionRequest, NotStarted, StopOrder } from '../../domain/ports/executor.ts';
import type { RunResult } from '../../domain/resources/run.ts';

export function failed(error: string, exitCode: number | null = null): RunResult {
  return { state: 'failed', error, exitCode };
}

/** The result of an attempt that was stopped before its work ended. */
export function describeStop(signal: AbortSignal): RunResult {
  const order: StopOrder = signal.reason;
  if (order.cause === 'interrupted') return failed('interrupted');
  return { state: 'cancelled', error: 'cancelled', exitCode: null };
}

export function notStarted(
  { input }: ExecutionRequest,
  problem: string,
  nextAttempt: number = input.run.attempt,
): NotStarted {
  return { state: 'not_started', problem, nextAttempt };
}
