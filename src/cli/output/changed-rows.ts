/** The rows that were printed, so that only new and changed ones are printed again. */
export class ChangedRows {
  /** What was printed, by name. Only rows of the last list, so that it does not grow. */
  #printed = new Map<string, string>();

  /** The rows that are new or whose content has changed. */
  take<Row>(
    rows: readonly Row[],
    { nameOf, content }: { nameOf(row: Row): string; content(row: Row): unknown },
  ): Row[] {
    const current = new Map(rows.map((row): [string, string] => [nameOf(row), JSON.stringify(content(row))]));
    const changed = rows.filter((row) => this.#printed.get(nameOf(row)) !== current.get(nameOf(row)));
    this.#printed = current;
    return changed;
  }
}
