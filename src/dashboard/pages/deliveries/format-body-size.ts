import type { Delivery } from '../../api/types.ts';
import { formatSize } from '../../parts/text/format-size.ts';

/** The size of the body; a dash where it was not read, since the credential was rejected before it. */
export function formatBodySize({ label, size }: Pick<Delivery, 'label' | 'size'>): string {
  return label === 'Rejected (auth)' && size === 0 ? '–' : formatSize(size);
}
