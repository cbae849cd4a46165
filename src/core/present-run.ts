import type { Run } from './run.ts';
import { formatInstant } from './time/clock.ts';

/** A run as the management API and `run.json` show it (interfaces, "Response shapes"). */
export interface RunView {
  id: string;
  factory: string;
  automation: string;
  delivery: string;
  webhook_uid: string;
  delivery_id: string;
  state: Run['state'];
  attempt: number;
  executor: Run['executor'];
  revision: string | null;
  error: string | null;
  exit_code: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** The Run of the interfaces: snake_case keys, instants in RFC 3339. */
export function presentRun(run: Run): RunView {
  return {
    id: run.id,
    factory: run.factory,
    automation: run.automation,
    delivery: run.delivery,
    webhook_uid: run.webhookUid,
    delivery_id: run.deliveryIdentity,
    state: run.state,
    attempt: run.attempt,
    executor: run.executor,
    revision: run.revision,
    error: run.error,
    exit_code: run.exitCode,
    created_at: formatInstant(run.createdAt),
    started_at: run.startedAt === null ? null : formatInstant(run.startedAt),
    finished_at: run.finishedAt === null ? null : formatInstant(run.finishedAt),
  };
}
