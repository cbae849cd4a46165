/** The code of a system error, for example `ENOENT`; `null` for anything else that was thrown. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}
