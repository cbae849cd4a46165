/** For example "812 B", "1.5 KiB". */
export function formatSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const isKibi = bytes < 1024 * 1024;
  const amount = bytes / (isKibi ? 1024 : 1024 * 1024);
  return `${amount.toFixed(1)} ${isKibi ? 'KiB' : 'MiB'}`;
}
