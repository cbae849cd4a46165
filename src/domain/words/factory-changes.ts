import { countOf } from './quantities.ts';

/** What the consequences of forgetting or renaming a factory depend on. */
interface RemovedFactory {
  name: string;
  counts: { webhooks: number; automations: number; queued_runs: number };
}

/** The consequences of forgetting a factory, one sentence each. */
export function describeForgetting({ counts }: RemovedFactory): string[] {
  const { webhooks, automations, queued_runs: queued } = counts;
  const definitions = `${countOf(webhooks, 'webhook')} and ${countOf(automations, 'automation')}`;
  return [
    `${definitions} are deleted, and a definition that only Dockbell stores.`,
    'Their URLs never work again: a factory that gets this name later gets new URLs.',
    ...(queued === 0 ? [] : [`${countOf(queued, 'queued run')} ${queued === 1 ? 'is' : 'are'} cancelled.`]),
    'Deliveries and ended runs stay until retention removes them.',
  ];
}

/** The consequences of renaming a factory, one sentence each. */
export function describeRenaming({ name, counts }: RemovedFactory, to: string): string[] {
  return [
    `${countOf(counts.webhooks, 'webhook')} of ${name} keep${counts.webhooks === 1 ? 's its URL' : ' their URLs'} and belong${counts.webhooks === 1 ? 's' : ''} to ${to}, with automations, runs and history.`,
    `New URLs that ${to} has for webhooks with the same names end.`,
    'Tokens and users that are limited to the old name are limited to the new one.',
  ];
}
