import type { Notice } from '../../../core/notice.ts';
import type { KeptAnswer } from '../../../core/ports/access/idempotency.ts';
import type { SealedSecret } from '../../../core/ports/secret-store.ts';
import { mapColumns } from './columns.ts';

export const SECRET_VERSIONS = mapColumns<SealedSecret>()({
  name: 'text',
  version: 'integer',
  sealed: 'bytes',
  createdAt: 'instant',
});

export const KEPT_ANSWERS = mapColumns<KeptAnswer>()({
  key: 'bytes',
  sealed: 'bytes',
  keptAt: 'instant',
});

export const NOTICES = mapColumns<Notice>()({
  id: 'text',
  factory: 'text',
  target: 'text',
  revision: 'text',
  outcome: 'text',
  report: 'json',
  state: { codec: 'text', generated: true },
  attempts: { codec: 'integer', generated: true },
  dueAt: 'instant',
  problem: 'text',
  failingSince: 'instant',
  createdAt: 'instant',
});
