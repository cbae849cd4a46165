import { it } from 'vitest';
import { TRIGGER_PROVIDERS } from '../../src/definitions/triggers/providers.ts';
import type { TriggerEvent, TriggerProvider } from '../../src/definitions/triggers/trigger-event.ts';
import { expectGenerated, renderTable } from '../helpers/documents.ts';

const code = (text: string) => `\`${text}\``;

function listKeys({ keys }: TriggerEvent): string {
  return Object.entries(keys)
    .map(([key, known]) => ('unserved' in known ? `(${code(key)})` : code(key)))
    .join(', ');
}

function listEvents({ deliveries }: TriggerEvent): string {
  return [...new Set(deliveries.map(({ event }) => code(event)))].join(', ');
}

function renderProvider({ title, eventName, events }: TriggerProvider): string {
  const place = 'header' in eventName ? `the header ${code(eventName.header)}` : code(eventName.path);
  const rows = Object.entries(events).map(([name, event]) => [code(name), listEvents(event), listKeys(event)]);
  const table = renderTable(['event', 'provider event', 'filter keys'], rows);
  return `\n### ${title}\n\nThe provider event is in ${place}.\n\n${table}`;
}

it('shows the events and filter keys of each provider', () => {
  const providers = [...new Set(TRIGGER_PROVIDERS.values())];
  expectGenerated('docs/reference/provider-triggers.md', 'events', `${providers.map(renderProvider).join('')}\n`);
});
