import type { Delivery } from '../../../client/api-types.ts';
import { formatSize } from '../../../domain/words/quantities.ts';

/** The size of the body. A dash means that it was not read, because the credential was rejected first. */
export function formatBodySize({ label, size }: Pick<Delivery, 'label' | 'size'>): string {
  return label === 'Rejected (auth)' && size === 0 ? '–' : formatSize(size);
}
