import type { Notice } from '../../../core/notice.ts';
import type { KeptAnswer } from '../../../core/ports/access/idempotency.ts';
import type { SealedSecret } from '../../../core/ports/secret-store.ts';
import { mapColumns } from './columns.ts';

export const SECRET_VERSIONS = mapColumns<SealedSecret>()([
  { key: 'name', column: 'name', codec: 'text' },
  { key: 'version', column: 'version', codec: 'integer' },
  { key: 'sealed', column: 'sealed', codec: 'bytes' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
]);

export const KEPT_ANSWERS = mapColumns<KeptAnswer>()([
  { key: 'key', column: 'key', codec: 'bytes' },
  { key: 'sealed', column: 'sealed', codec: 'bytes' },
  { key: 'keptAt', column: 'kept_at', codec: 'instant' },
]);

export const NOTICES = mapColumns<Notice>()([
  { key: 'id', column: 'id', codec: 'text' },
  { key: 'factory', column: 'factory', codec: 'text' },
  { key: 'target', column: 'target', codec: 'text' },
  { key: 'revision', column: 'revision', codec: 'text' },
  { key: 'outcome', column: 'outcome', codec: 'text' },
  { key: 'report', column: 'report', codec: 'json' },
  { key: 'state', column: 'state', codec: 'text', generated: true },
  { key: 'attempts', column: 'attempts', codec: 'integer', generated: true },
  { key: 'dueAt', column: 'due_at', codec: 'instant' },
  { key: 'problem', column: 'problem', codec: 'text' },
  { key: 'failingSince', column: 'failing_since', codec: 'instant' },
  { key: 'createdAt', column: 'created_at', codec: 'instant' },
]);
