import type { SchemeFacts } from '../scheme.ts';

/** The name of the event that providers send to test a webhook. */
const PING = 'ping';

/** The entry of a trigger filter that excludes the pings of a scheme, as YAML. `null` if its provider sends none. */
export function writePingFilter({ event, sendsPing }: SchemeFacts): string | null {
  if (sendsPing !== true || event === undefined) return null;
  if (event.header !== undefined) return `headers: {${event.header}: {not_in: [${PING}]}}`;
  const nested = (event.path ?? []).reduceRight((inner, key) => `{${key}: ${inner}}`, `{not_in: [${PING}]}`);
  return `payload: ${nested}`;
}
