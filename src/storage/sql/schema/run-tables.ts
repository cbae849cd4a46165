import type { Run } from '../../../core/run.ts';
import { mapColumns } from './columns.ts';

/** The fields of a run that `runs` stores; the webhook is joined. */
export const RUNS = mapColumns<Run>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'factory', column: 'factory', codec: 'text' },
  { key: 'automation', column: 'automation', codec: 'text' },
  { key: 'delivery', column: 'delivery_id', codec: 'text' },
  { key: 'deliveryIdentity', column: 'delivery_identity', codec: 'text' },
  { key: 'state', column: 'state', codec: 'text', generated: true },
  { key: 'attempt', column: 'attempt', codec: 'integer', generated: true },
  { key: 'executor', column: 'executor', codec: 'text' },
  { key: 'revision', column: 'revision', codec: 'text' },
  { key: 'error', column: 'error', codec: 'text' },
  { key: 'exitCode', column: 'exit_code', codec: 'integer' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
  { key: 'startedAt', column: 'started_at', codec: 'instant' },
  { key: 'finishedAt', column: 'finished_at', codec: 'instant' },
]);
