import type { ConnectionPlan } from '../../client/api-types.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { DiffLine } from '../../domain/words/yaml-text.ts';
import type { Output } from './output.ts';
import { printDiff } from './print-diff.ts';
import type { Column } from './table.ts';

type Field = ConnectionPlan['fields'][number];
type NeededEvent = ConnectionPlan['needed_by'][number];

const NAMES: Readonly<Record<Field['field'], string>> = {
  url: 'URL',
  content_type: 'content type',
  events: 'events',
  active: 'active',
  tls_verification: 'TLS verification',
  secret: 'secret',
  other_webhooks: 'other webhooks',
};

const COLUMNS: readonly Column<NeededEvent>[] = [
  { head: 'EVENT', text: ({ event }) => event, narrow: 'whole' },
  { head: 'AUTOMATION', text: ({ automation }) => automation ?? '(the factory)', narrow: 'whole' },
  { head: 'TRIGGER', text: ({ trigger }) => trigger, narrow: 'below' },
];

/** Prints a webhook at a provider with its difference and notes. If it has to change, also the triggers that need its events. */
export function printConnection(
  output: Output,
  plan: ConnectionPlan,
  { title, webhook }: { title: string; webhook: string },
): void {
  const place = `${title} ${escapeText(plan.target)}`;
  const posts = `posts to the webhook ${escapeText(webhook)}`;
  if (plan.hook === null) output.line(`No webhook of ${place} ${posts} yet:`);
  else output.line(`Webhook ${escapeText(plan.hook)} of ${place} ${posts}:`);
  printDiff(output, plan.fields.flatMap(describeField), '  ');
  for (const { field, remedy } of plan.fields) {
    if (remedy !== null) output.line(`  ${NAMES[field]}: ${escapeText(remedy)}`);
  }
  output.line();
  if (plan.action !== 'none') {
    output.table(COLUMNS, plan.needed_by);
    output.line();
  }
  for (const note of plan.notes) output.line(escapeText(note));
}

function describeField(field: Field): DiffLine[] {
  if (field.field === 'secret') return [describeSecret(field)];
  const { registered, wanted, state } = field;
  const before = registered ?? [];
  const line = (kind: DiffLine['kind'], values: readonly string[]): DiffLine[] =>
    values.length === 0 ? [] : [{ kind, text: `${NAMES[field.field]}: ${values.join(', ')}` }];
  if (state !== 'change') return line('same', before);
  return [
    ...line(
      'removed',
      before.filter((value) => !wanted.includes(value)),
    ),
    ...line(
      'same',
      before.filter((value) => wanted.includes(value)),
    ),
    ...line(
      'added',
      wanted.filter((value) => !before.includes(value)),
    ),
  ];
}

/** The value of a secret is in no answer, and most providers do not report theirs. */
function describeSecret({ registered, wanted, state }: Field): DiffLine {
  const label = wanted.join('');
  if (state === 'same') return { kind: 'same', text: `secret: ${label}` };
  if (state === 'change')
    return { kind: 'added', text: `secret: ${label}${registered === null ? '' : ` (now: ${registered.join('')})`}` };
  if (state === 'send') return { kind: 'added', text: `secret: ${label} (sent again: the current value is not shown)` };
  return { kind: 'same', text: 'secret: not shown, so it is not compared; after a rotation, add --send-secret' };
}
