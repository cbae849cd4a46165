/** Names and their IDs as people edit them: one `name = ID` per line. */
export function formatNames(ids: { readonly [name: string]: string } | undefined): string {
  return Object.entries(ids ?? {})
    .map(([name, id]) => `${name} = ${id}`)
    .join('\n');
}

/** `null` if a line has another form. Empty lines are ignored. */
export function parseNames(text: string): { [name: string]: string } | null {
  const entries: [string, string][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    const [name, id] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (at === -1 || name === '' || id === '') return null;
    entries.push([name, id]);
  }
  return Object.fromEntries(entries);
}

/** The lines that are not empty. */
export function readLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
