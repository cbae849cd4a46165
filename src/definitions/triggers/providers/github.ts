import { PROVIDER_TITLES } from '../../../domain/words/names.ts';
import type {
  ContextPlaces,
  DeliveryRow,
  FilterKey,
  ServedKey,
  TriggerEvent,
  TriggerProvider,
} from '../trigger-event.ts';

type Keys = { readonly [key: string]: FilterKey };

const repos: ServedKey = { compare: 'fold', from: [{ path: 'repository.full_name' }], form: 'github-repository' };

/** Review and comment payloads have `pull_request` or `issue`, never both. */
const labels: ServedKey = {
  compare: 'fold',
  from: [{ path: 'pull_request.labels[*].name' }, { path: 'issue.labels[*].name' }],
  subject: 'the labels',
};
/** `in` takes the label just added: an unrelated label must not start a second run. */
const addedLabel: ServedKey = {
  ...labels,
  from: [{ path: 'label.name' }],
  notInFrom: labels.from,
  subject: 'the added label',
};

const assignees: ServedKey = {
  compare: 'login',
  from: [{ path: 'pull_request.assignees[*].login' }, { path: 'issue.assignees[*].login' }],
  subject: 'the assignees',
};
const addedAssignee: ServedKey = {
  ...assignees,
  from: [{ path: 'assignee.login' }],
  notInFrom: assignees.from,
  subject: 'the added assignee',
};

/** Who opened the issue or pull request, not who acted. */
const authors: ServedKey = {
  compare: 'login',
  from: [{ path: 'pull_request.user.login' }, { path: 'issue.user.login' }],
  subject: 'the author',
};

const mentioned: ServedKey = { compare: 'login', from: [{ path: '', read: 'mentions' }], subject: 'the mentions' };

const conclusions = (path: string): ServedKey => ({
  compare: 'fold',
  from: [{ path }],
  subject: 'the conclusion',
  known: [
    'success',
    'failure',
    'neutral',
    'cancelled',
    'timed_out',
    'action_required',
    'skipped',
    'stale',
    'startup_failure',
  ],
});

/** GitHub sends only number, head and base of the linked pull request. */
const linkedPullRequest: FilterKey = { unserved: 'the payload has only number, head and base of the pull request' };

const issueKeys: Keys = { repos, labels, assignees, authors };
const pullRequestKeys: Keys = {
  repos,
  base_branches: { compare: 'branch', from: [{ path: 'pull_request.base.ref' }], subject: 'the base branch' },
  pr_numbers: { compare: 'number', from: [{ path: 'pull_request.number' }], subject: 'the number' },
  paths: { unserved: 'the payload has only the number of changed files' },
  assignees,
  authors,
  labels,
};
const assignedKeys: Keys = { repos, assignees: addedAssignee, labels };
const mentionKeys: Keys = { repos, mentioned, labels };

const issue = (action: string): DeliveryRow[] => [{ event: 'issues', when: { action: [action] } }];
const pullRequest = (action: string): DeliveryRow[] => [{ event: 'pull_request', when: { action: [action] } }];

/** Mentions by bots do not count. */
const byPerson = { user: { type: { not_in: ['Bot'] } } };

/** A new comment on an issue or on a pull request: both are `issue_comment`. */
const comment = (isPullRequest: boolean): DeliveryRow => ({
  event: 'issue_comment',
  when: { action: ['created'], issue: { pull_request: { exists: isPullRequest } }, comment: byPerson },
  text: 'comment.body',
});

const issueEvents: { readonly [event: string]: TriggerEvent } = {
  issue_created: { deliveries: issue('opened'), keys: issueKeys },
  issue_labeled: { deliveries: issue('labeled'), keys: { ...issueKeys, labels: addedLabel } },
  issue_assigned: { deliveries: issue('assigned'), keys: assignedKeys },
  issue_mentioned: {
    deliveries: [
      { event: 'issues', when: { action: ['opened'], issue: byPerson }, text: 'issue.body' },
      comment(false),
    ],
    keys: mentionKeys,
    needsMention: 'mentions',
  },
};

const pullRequestEvents: { readonly [event: string]: TriggerEvent } = {
  pull_request_opened: { deliveries: pullRequest('opened'), keys: pullRequestKeys },
  pull_request_ready: { deliveries: pullRequest('ready_for_review'), keys: pullRequestKeys },
  pull_request_synchronized: { deliveries: pullRequest('synchronize'), keys: pullRequestKeys },
  pull_request_reopened: { deliveries: pullRequest('reopened'), keys: pullRequestKeys },
  pull_request_labeled: { deliveries: pullRequest('labeled'), keys: { ...pullRequestKeys, labels: addedLabel } },
  pull_request_closed: {
    deliveries: [{ event: 'pull_request', when: { action: ['closed'], pull_request: { merged: [false] } } }],
    keys: pullRequestKeys,
  },
  pull_request_merged: {
    deliveries: [{ event: 'pull_request', when: { action: ['closed'], pull_request: { merged: [true] } } }],
    keys: pullRequestKeys,
  },
  pull_request_assigned: { deliveries: pullRequest('assigned'), keys: assignedKeys },
  pull_request_mentioned: {
    deliveries: [
      { event: 'pull_request', when: { action: ['opened'], pull_request: byPerson }, text: 'pull_request.body' },
      comment(true),
      {
        event: 'pull_request_review_comment',
        // A comment that starts a thread belongs to its review.
        when: { action: ['created'], comment: { in_reply_to_id: { exists: true }, ...byPerson } },
        text: 'comment.body',
      },
      { event: 'pull_request_review', when: { action: ['submitted'], review: byPerson }, text: 'review.body' },
    ],
    keys: mentionKeys,
    needsMention: 'mentions',
  },
  pull_request_review_requested: {
    deliveries: pullRequest('review_requested'),
    keys: {
      repos,
      reviewers: { compare: 'login', from: [{ path: 'requested_reviewer.login' }], subject: 'the requested reviewer' },
      reviewer_teams: {
        compare: 'fold',
        from: [{ path: 'requested_team.slug' }, { path: 'requested_team.slug', prefix: 'repository.owner.login' }],
        subject: 'the requested team',
      },
    },
    // A payload has a user or a team, never both.
    either: ['reviewers', 'reviewer_teams'],
  },
  pull_request_review_submitted: {
    deliveries: [{ event: 'pull_request_review', when: { action: ['submitted'] }, text: 'review.body' }],
    keys: {
      repos,
      mentioned,
      labels,
      review_states: { compare: 'fold', from: [{ path: 'review.state' }], subject: 'the review state' },
    },
  },
};

const TO_ITS_APP =
  'GitHub sends this event only to the GitHub App that created the check: the webhook must be the one of that app.';

const checkEvents: { readonly [event: string]: TriggerEvent } = {
  check_suite_completed: {
    deliveries: [{ event: 'check_suite', when: { action: ['completed'] } }],
    keys: {
      repos,
      conclusions: conclusions('check_suite.conclusion'),
      branches: { compare: 'branch', from: [{ path: 'check_suite.head_branch' }], subject: 'the branch' },
      labels: linkedPullRequest,
      authors: linkedPullRequest,
    },
  },
  workflow_run_completed: {
    deliveries: [{ event: 'workflow_run', when: { action: ['completed'] } }],
    keys: {
      repos,
      conclusions: conclusions('workflow_run.conclusion'),
      branches: {
        compare: 'branch',
        // The `main` of a fork is another branch.
        from: [
          {
            path: 'workflow_run.head_branch',
            ifEqual: ['workflow_run.head_repository.full_name', 'repository.full_name'],
          },
        ],
        subject: 'the branch',
        whyNone: 'the branch of a fork does not count',
      },
      workflows: {
        compare: 'fold',
        from: [
          { path: 'workflow.name', otherwise: 'workflow_run.name' },
          { path: 'workflow.path' },
          { path: 'workflow.path', read: 'last_segment' },
        ],
        subject: 'the workflow',
      },
      labels: linkedPullRequest,
      authors: linkedPullRequest,
    },
  },
  check_run_rerequested: {
    deliveries: [{ event: 'check_run', when: { action: ['rerequested'] } }],
    keys: { repos },
    note: TO_ITS_APP,
  },
  check_suite_rerequested: {
    deliveries: [{ event: 'check_suite', when: { action: ['rerequested'] } }],
    keys: { repos },
    note: TO_ITS_APP,
  },
};

/** Checks and runs of workflows name the pull requests of their commit. A fork has none there. */
const context: ContextPlaces = {
  repository: [{ path: 'repository.full_name' }],
  number: [
    { path: 'issue.number' },
    { path: 'pull_request.number' },
    { path: 'check_suite.pull_requests[0].number' },
    { path: 'check_run.pull_requests[0].number' },
    { path: 'workflow_run.pull_requests[0].number' },
  ],
  url: [
    { path: 'comment.html_url' },
    { path: 'review.html_url' },
    { path: 'check_run.html_url' },
    { path: 'workflow_run.html_url' },
    { path: 'pull_request.html_url' },
    { path: 'issue.html_url' },
    { path: 'compare' },
    // A check suite has no page.
    { base: 'repository.html_url', use: 'whole', infix: '/commit/', path: 'check_suite.head_sha' },
  ],
  actor: [{ path: 'sender.login' }],
  commit: [
    { path: 'pull_request.head.sha' },
    { path: 'after' },
    { path: 'check_suite.head_sha' },
    { path: 'check_run.head_sha' },
    { path: 'workflow_run.head_sha' },
  ],
};

/** The trigger events of GitHub. */
export const GITHUB: TriggerProvider = {
  title: PROVIDER_TITLES.github,
  schemes: ['github'],
  eventName: { header: 'X-GitHub-Event' },
  context,
  actors: { accounts: [{ path: 'sender.login' }, { path: 'sender.id' }] },
  events: {
    push: {
      // The keys select branches: a tag or a deleted branch has nothing to work on.
      deliveries: [
        {
          event: 'push',
          when: { deleted: [false] },
          requires: [
            {
              subject: 'a branch',
              from: [{ path: 'ref', read: 'branch_name' }],
              otherwise: { seen: 'ref', because: 'push starts only for branches' },
            },
          ],
        },
      ],
      keys: {
        repos,
        branches: { compare: 'branch', from: [{ path: 'ref' }], subject: 'the branch' },
        paths: {
          compare: 'glob',
          from: [
            { path: 'commits[*].added[*]' },
            { path: 'commits[*].modified[*]' },
            { path: 'commits[*].removed[*]' },
          ],
          subject: 'the changed files',
        },
      },
    },
    ...issueEvents,
    ...pullRequestEvents,
    ...checkEvents,
  },
};
