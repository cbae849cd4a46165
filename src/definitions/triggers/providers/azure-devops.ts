import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type {
  ContextPlaces,
  DeliveryRow,
  FilterKey,
  RequiredValue,
  ServedKey,
  Source,
  TriggerEvent,
  TriggerProvider,
} from '../trigger-event.ts';

const CHANGED = 'resource.fields';

/** An identity is a text or an object, with two names. */
const identity = (path: string): Source[] => [
  { path, read: 'identity' },
  { path: `${path}.uniqueName` },
  { path: `${path}.displayName` },
];

/** The keys of a work item whose fields are at a path. */
const workItemKeys = (fields: string) =>
  ({
    work_item_types: { compare: 'fold', from: [{ path: `${fields}["System.WorkItemType"]` }], subject: 'the type' },
    labels: { compare: 'fold', from: [{ path: `${fields}["System.Tags"]`, read: 'semicolons' }], subject: 'the tags' },
    assignees: { compare: 'login', from: identity(`${fields}["System.AssignedTo"]`), subject: 'the assignee' },
    authors: { compare: 'login', from: identity(`${fields}["System.CreatedBy"]`), subject: 'the author' },
  }) satisfies { [key: string]: ServedKey };

const updated = workItemKeys('resource.revision.fields');

const addedTags: Source = {
  path: `${CHANGED}["System.Tags"].newValue`,
  read: 'semicolons',
  without: `${CHANGED}["System.Tags"].oldValue`,
};
const newAssignee = identity(`${CHANGED}["System.AssignedTo"].newValue`).map((source, index) => ({
  ...source,
  without: identity(`${CHANGED}["System.AssignedTo"].oldValue`)[index]!.path,
}));

/** Mention markup has the ID of an identity. */
const mentioned = (path: string): FilterKey => ({
  compare: 'fold',
  from: [{ path, read: 'mention_markup' }],
  subject: 'the mentions',
});

const mentionIn = (path: string): RequiredValue => ({
  subject: 'a mention',
  from: [{ path, read: 'mention_markup' }],
});

/** The keys of a pull request at a path. */
const pullRequestKeys = (path: string) => {
  const target: ServedKey = {
    compare: 'branch',
    from: [{ path: `${path}.targetRefName` }],
    subject: 'the target branch',
  };
  const repository = `${path}.repository`;
  const repos: ServedKey = {
    compare: 'fold',
    from: [{ path: `${repository}.name` }, { path: `${repository}.name`, prefix: `${repository}.project.name` }],
  };
  return { repos, base_branches: target, target_branches: target };
};

const pullRequest = (status: string): TriggerEvent => ({
  deliveries: [{ event: 'git.pullrequest.updated', when: { resource: { status: [status] } } }],
  keys: pullRequestKeys('resource'),
});

const PUBLISHED = 'resource.comment.publishedDate';

/** A new comment: an edit changes the date of its content. */
const newComment: DeliveryRow = {
  event: 'ms.vss-code.git-pullrequest-comment-event',
  requires: [
    {
      subject: 'a new comment',
      from: [
        {
          path: PUBLISHED,
          ifEqual: [PUBLISHED, 'resource.comment.lastContentUpdatedDate'],
        },
      ],
      otherwise: {
        seen: 'resource.comment.lastContentUpdatedDate',
        because: 'so the comment was edited and is not new',
      },
    },
  ],
};

/** Who caused an event, the most exact place first. */
const actors = [
  ...identity('resource.comment.author'),
  ...identity('resource.revision.fields["System.ChangedBy"]'),
  ...identity(`${CHANGED}["System.ChangedBy"]`),
  ...identity('resource.createdBy'),
];

const repositoryOf = (path: string): Source => ({ path: `${path}.name`, prefix: `${path}.project.name` });

/** An event about a comment has its pull request one level deeper. */
const context: ContextPlaces = {
  repository: [repositoryOf('resource.repository'), repositoryOf('resource.pullRequest.repository')],
  number: [
    { path: 'resource.pullRequestId', kind: 'pull_request' },
    { path: 'resource.pullRequest.pullRequestId', kind: 'pull_request' },
    // `resource.id` of an updated work item is the number of the update.
    { path: 'resource.workItemId', kind: 'work_item' },
    { path: 'resource.id', kind: 'work_item' },
  ],
  url: [
    { path: 'resource._links.web.href' },
    { path: 'resource._links.html.href' },
    { path: 'resource.pullRequest._links.web.href' },
  ],
  actor: actors,
  commit: [
    { path: 'resource.lastMergeSourceCommit.commitId' },
    { path: 'resource.pullRequest.lastMergeSourceCommit.commitId' },
  ],
};

/** The trigger events of Azure DevOps. */
export const AZURE_DEVOPS: TriggerProvider = {
  title: PROVIDER_TITLES.azure_devops,
  schemes: ['azure_devops'],
  eventName: { path: 'eventType' },
  context,
  actors: { accounts: actors },
  events: {
    work_item_created: { deliveries: [{ event: 'workitem.created' }], keys: workItemKeys(CHANGED) },
    work_item_assigned: {
      deliveries: [{ event: 'workitem.updated', requires: [{ subject: 'a new assignee', from: newAssignee }] }],
      keys: {
        ...updated,
        assignees: {
          ...updated.assignees,
          from: newAssignee,
          notInFrom: updated.assignees.from,
          subject: 'the new assignee',
        },
      },
    },
    work_item_labeled: {
      deliveries: [{ event: 'workitem.updated', requires: [{ subject: 'an added tag', from: [addedTags] }] }],
      keys: {
        ...updated,
        labels: { ...updated.labels, from: [addedTags], notInFrom: updated.labels.from, subject: 'the added tags' },
      },
    },
    work_item_mentioned: {
      deliveries: [{ event: 'workitem.commented', requires: [mentionIn(`${CHANGED}["System.History"]`)] }],
      keys: { mentioned: mentioned(`${CHANGED}["System.History"]`) },
    },
    pull_request_created: { deliveries: [{ event: 'git.pullrequest.created' }], keys: pullRequestKeys('resource') },
    pull_request_merged: pullRequest('completed'),
    pull_request_closed: pullRequest('abandoned'),
    pull_request_updated: pullRequest('active'),
    pull_request_commented: { deliveries: [newComment], keys: pullRequestKeys('resource.pullRequest') },
    pull_request_mentioned: {
      deliveries: [{ ...newComment, requires: [...newComment.requires!, mentionIn('resource.comment.content')] }],
      keys: {
        repos: pullRequestKeys('resource.pullRequest').repos,
        mentioned: mentioned('resource.comment.content'),
      },
    },
  },
};
