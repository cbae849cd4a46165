import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type { ServedKey, Source, TriggerProvider } from '../trigger-event.ts';

const project_keys: ServedKey = {
  compare: 'exact',
  from: [{ path: 'issue.fields.project.key' }],
  subject: 'the project key',
};

/** Labels of Jira are case-sensitive. */
const labels: ServedKey = { compare: 'exact', from: [{ path: 'issue.fields.labels[*]' }], subject: 'the labels' };

const addedLabels: Source = {
  path: 'toString',
  read: 'words',
  without: 'fromString',
  each: { of: 'changelog.items', where: ['field', 'labels'] },
};

/** The trigger events of Jira. */
export const JIRA: TriggerProvider = {
  title: PROVIDER_TITLES.jira,
  schemes: ['jira'],
  eventName: { path: 'webhookEvent' },
  context: {
    repository: [],
    number: [{ path: 'issue.key' }],
    // The payload has only the address of the issue in the API.
    url: [{ base: 'issue.self', use: 'origin', infix: '/browse/', path: 'issue.key' }],
    actor: [{ path: 'user.displayName' }, { path: 'user.accountId' }],
    commit: [],
  },
  actors: { accounts: [{ path: 'user.accountId' }, { path: 'user.displayName' }, { path: 'user.name' }] },
  events: {
    issue_created: { deliveries: [{ event: 'jira:issue_created' }], keys: { project_keys, labels } },
    issue_labeled: {
      deliveries: [{ event: 'jira:issue_updated', requires: [{ subject: 'an added label', from: [addedLabels] }] }],
      keys: {
        project_keys,
        labels: { ...labels, from: [addedLabels], notInFrom: labels.from, subject: 'the added labels' },
      },
    },
    status_changed: {
      deliveries: [{ event: 'jira:issue_updated', when: { changelog: { items: { field: ['status'] } } } }],
      keys: {
        project_keys,
        status_ids: {
          compare: 'exact',
          from: [{ path: 'to', each: { of: 'changelog.items', where: ['field', 'status'] } }],
          subject: 'the new status',
        },
      },
    },
    agent_session_created: {
      unserved:
        'Jira sends it only to an installed agent app, not to webhooks. Use issue_labeled or status_changed instead',
      deliveries: [],
      keys: {
        project_keys,
        labels,
        keywords: { compare: 'text', from: [] },
      },
    },
  },
};
