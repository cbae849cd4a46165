// One chunk with all of them, loaded when the first is opened: they are small, and readers may have no other network.
const PAGES = import.meta.glob<string>('../../../../docs/rules/*/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
});

/** The page of a rule as its Markdown; `null` for a rule that has none. */
export function readRulePage(rule: string): string | null {
  return PAGES[`../../../../docs/rules/${rule}.md`] ?? null;
}
