/** `5 automations (4 can start here, 1 cannot)`, or only their number if all can start. */
export function describeStartable(automations: number, unstartable: number): string {
  const all = `${automations} ${automations === 1 ? 'automation' : 'automations'}`;
  return unstartable === 0 ? all : `${all} (${automations - unstartable} can start here, ${unstartable} cannot)`;
}

/** Number of automations that are listed with their reasons. */
const MAX_LISTED = 20;

/** The lines that say which automations cannot start, and why; empty if all can. */
export function explainUnstartable(
  unstartable: readonly { automation: string; reasons: readonly string[] }[],
): string[] {
  if (unstartable.length === 0) return [];
  const listed = unstartable.slice(0, MAX_LISTED);
  const rest = unstartable.length - listed.length;
  return [
    'Automations that cannot start here:',
    ...listed.map(({ automation, reasons }) => `  ${automation}: ${reasons.join(' ')}`),
    ...(rest === 0 ? [] : [`  and ${rest} more`]),
  ];
}
