import type { Delivery } from '../../../client/api-types.ts';

/** For example "812 B", "1.5 KiB". */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const isKibi = bytes < 1024 * 1024;
  const amount = bytes / (isKibi ? 1024 : 1024 * 1024);
  return `${amount.toFixed(1)} ${isKibi ? 'KiB' : 'MiB'}`;
}

/** The size of the body. A dash means that it was not read, because the credential was rejected first. */
export function formatBodySize({ label, size }: Pick<Delivery, 'label' | 'size'>): string {
  return label === 'Rejected (auth)' && size === 0 ? '–' : formatSize(size);
}
