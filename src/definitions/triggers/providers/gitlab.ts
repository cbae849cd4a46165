import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type { DeliveryRow, ServedKey, TriggerProvider } from '../trigger-event.ts';

const repos: ServedKey = {
  compare: 'fold',
  from: [{ path: 'project.path_with_namespace' }],
  form: 'gitlab-repository',
};

/** A new comment. GitLab sends those on confidential issues, and internal ones, with another name of the event. */
const note = (event: string): DeliveryRow => ({
  event,
  when: {
    object_kind: ['note'],
    object_attributes: {
      // Older versions send no action.
      action: { not_in: ['update'] },
      system: [false],
      noteable_type: ['MergeRequest', 'Issue'],
    },
  },
  text: 'object_attributes.note',
  bots: [{ path: 'user.username', read: 'gitlab_bot' }],
});

/** The trigger events of GitLab. */
export const GITLAB: TriggerProvider = {
  title: PROVIDER_TITLES.gitlab,
  schemes: ['gitlab', 'gitlab_signing'],
  eventName: { header: 'X-Gitlab-Event' },
  context: {
    repository: [{ path: 'project.path_with_namespace' }],
    number: [
      { path: 'object_attributes.iid', kind: 'merge_request' },
      { path: 'merge_request.iid', kind: 'merge_request' },
      { path: 'issue.iid', kind: 'issue' },
    ],
    url: [{ path: 'object_attributes.url' }],
    actor: [{ path: 'user.username' }],
    commit: [{ path: 'object_attributes.last_commit.id' }, { path: 'merge_request.last_commit.id' }],
  },
  actors: { accounts: [{ path: 'user.username' }, { path: 'user.id' }] },
  events: {
    merge_request: {
      deliveries: [
        {
          event: 'Merge Request Hook',
          when: { object_kind: ['merge_request'] },
        },
      ],
      // The hosted list has no event for a withdrawn approval, so only a filter that names it matches it.
      unless: { key: 'actions', when: { object_attributes: { action: { not_in: ['unapproved', 'unapproval'] } } } },
      keys: {
        repos,
        actions: {
          compare: 'fold',
          from: [{ path: 'object_attributes.action' }],
          subject: 'the action',
          known: ['open', 'close', 'reopen', 'update', 'approved', 'unapproved', 'approval', 'unapproval', 'merge'],
          aliases: { opened: 'open', closed: 'close', reopened: 'reopen', updated: 'update', merged: 'merge' },
        },
        base_branches: {
          compare: 'branch',
          from: [{ path: 'object_attributes.target_branch' }],
          subject: 'the target branch',
        },
      },
    },
    bot_mentioned: {
      deliveries: ['Note Hook', 'Confidential Note Hook'].map(note),
      needsMention: 'gitlab_mentions',
      needsName: true,
      keys: {
        repos,
        mentioned: { compare: 'login', from: [{ path: '', read: 'gitlab_mentions' }], subject: 'the mentions' },
      },
    },
  },
};
