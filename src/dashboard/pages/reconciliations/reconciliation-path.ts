/** Where one pass is shown. */
export function reconciliationPath(factory: string, id: string): string {
  return `/factories/${encodeURIComponent(factory)}/reconciliations/${encodeURIComponent(id)}`;
}
