import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type { DeliveryRow, FilterKey, RequiredValue, ServedKey, Source, TriggerProvider } from '../trigger-event.ts';

const idKey = (path: string, subject: string): ServedKey => ({ compare: 'exact', from: [{ path }], subject });

const nameKey = (nameFormOf: string, subject: string, paths: readonly string[]): ServedKey => ({
  compare: 'fold',
  from: paths.map((path): Source => ({ path })),
  subject,
  nameFormOf,
});

const labels: ServedKey = { compare: 'fold', from: [{ path: 'data.labels[*].name' }], subject: 'the labels' };
/** Only the labels that the update added. */
const addedLabels: ServedKey = {
  ...labels,
  from: [{ path: 'name', each: { of: 'data.labels', unless: ['id', 'updatedFrom.labelIds[*]'] } }],
  notInFrom: labels.from,
  subject: 'the added labels',
};

/** Mentions are links to profiles, which have no user ID. */
const mentionedUsers: FilterKey = { unserved: 'mentions in a payload have no user ID' };

const issueKeys: { readonly [key: string]: FilterKey } = {
  team_ids: idKey('data.teamId', 'the team ID'),
  teams: nameKey('team_ids', 'the team', ['data.team.name', 'data.team.key']),
  project_ids: idKey('data.projectId', 'the project ID'),
  projects: nameKey('project_ids', 'the project', ['data.project.name']),
  state_ids: idKey('data.stateId', 'the state ID'),
  states: nameKey('state_ids', 'the state', ['data.state.name']),
  labels,
  assignee_ids: idKey('data.assigneeId', 'the assignee ID'),
  assignees: nameKey('assignee_ids', 'the assignee', ['data.assignee.name', 'data.assignee.email']),
  creator_ids: idKey('data.creatorId', 'the creator ID'),
  creators: nameKey('creator_ids', 'the creator', ['data.creator.name']),
};

const ofIssue: FilterKey = { unserved: 'the payload has only the ID, identifier, title and team of the issue' };

const updatedIssue = (when: NonNullable<DeliveryRow['when']>, ...requires: RequiredValue[]): DeliveryRow[] => [
  { event: 'Issue', when: { action: ['update'], ...when }, requires },
];

/** The trigger events of Linear. */
export const LINEAR: TriggerProvider = {
  title: PROVIDER_TITLES.linear,
  schemes: ['linear'],
  eventName: { path: 'type' },
  context: {
    repository: [],
    number: [{ path: 'data.identifier' }, { path: 'data.issue.identifier' }, { path: 'agentSession.issue.identifier' }],
    url: [{ path: 'url' }, { path: 'agentSession.url' }],
    actor: [
      { path: 'actor.name' },
      { path: 'actor.id' },
      { path: 'agentSession.creator.name' },
      { path: 'agentSession.creatorId' },
    ],
    commit: [],
  },
  actors: {
    accounts: [
      { path: 'actor.id' },
      { path: 'actor.name' },
      { path: 'actor.email' },
      { path: 'agentSession.creatorId' },
      { path: 'agentSession.creator.name' },
      { path: 'agentSession.creator.email' },
    ],
  },
  events: {
    issue_created: {
      deliveries: [{ event: 'Issue', when: { action: ['create'] } }],
      keys: { ...issueKeys, mentioned_user_ids: mentionedUsers },
    },
    issue_labeled: {
      deliveries: updatedIssue(
        { updatedFrom: { labelIds: { exists: true } } },
        { subject: 'an added label', from: [{ path: 'data.labelIds[*]', without: 'updatedFrom.labelIds[*]' }] },
      ),
      keys: { ...issueKeys, labels: addedLabels, mentioned_user_ids: mentionedUsers },
    },
    issue_state_changed: {
      deliveries: updatedIssue({ updatedFrom: { stateId: { exists: true } } }),
      keys: { ...issueKeys, mentioned_user_ids: mentionedUsers },
    },
    issue_assigned: {
      deliveries: updatedIssue(
        { updatedFrom: { assigneeId: { exists: true } } },
        { subject: 'a new assignee', from: [{ path: 'data.assigneeId' }] },
      ),
      keys: { ...issueKeys, mentioned_user_ids: mentionedUsers },
    },
    comment_created: {
      // Comments on projects and documents have no issue.
      deliveries: [
        {
          event: 'Comment',
          when: { action: ['create'] },
          requires: [{ subject: 'an issue', from: [{ path: 'data.issueId' }] }],
        },
      ],
      keys: {
        team_ids: idKey('data.issue.teamId', 'the team ID'),
        teams: nameKey('team_ids', 'the team', ['data.issue.team.name', 'data.issue.team.key']),
        project_ids: ofIssue,
        projects: ofIssue,
        state_ids: ofIssue,
        states: ofIssue,
        labels: ofIssue,
        creator_ids: idKey('data.userId', 'the author ID'),
        creators: nameKey('creator_ids', 'the author', ['data.user.name', 'data.user.email']),
        issue_ids: idKey('data.issueId', 'the issue ID'),
        issues: nameKey('issue_ids', 'the issue', ['data.issue.identifier']),
        mentioned_user_ids: mentionedUsers,
      },
    },
    agent_session_created: {
      deliveries: [{ event: 'AgentSessionEvent', when: { action: ['created'] } }],
      note: 'Linear sends this event only to OAuth apps with agent scopes: the webhook must be the one of that app.',
      keys: {
        team_ids: {
          compare: 'exact',
          from: [{ path: 'agentSession.issue.teamId', otherwise: 'agentSession.issue.team.id' }],
          subject: 'the team ID',
        },
        teams: nameKey('team_ids', 'the team', ['agentSession.issue.team.name', 'agentSession.issue.team.key']),
        creator_ids: idKey('agentSession.creatorId', 'the creator ID'),
        creators: nameKey('creator_ids', 'the creator', ['agentSession.creator.name']),
        keywords: {
          compare: 'text',
          from: [{ path: 'agentSession.comment.body', otherwise: 'promptContext' }],
          subject: 'the text',
        },
      },
    },
  },
};
