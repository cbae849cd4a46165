/** The path of the page of a reconciliation. */
export function reconciliationPath(factory: string, id: string): string {
  return `/factories/${encodeURIComponent(factory)}/reconciliations/${encodeURIComponent(id)}`;
}
