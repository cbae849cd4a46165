/** How far an attempt is, in one line; `null` if its holder reported nothing. */
export function describeProgress(progress: { percent: number | null; text: string | null } | null): string | null {
  if (progress === null) return null;
  const { percent, text } = progress;
  const parts = [percent === null ? null : `${Math.round(percent)}%`, text].filter(
    (part) => part !== null && part !== '',
  );
  return parts.length === 0 ? null : parts.join(', ');
}
