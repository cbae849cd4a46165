import { GITLAB } from '../../../definitions/triggers/providers/gitlab.ts';
import type { EventTable } from '../hook-provider.ts';

/** The attribute of a webhook that turns an event on, by the name of the event in the header `X-Gitlab-Event`. */
const BY_HEADER = {
  'Push Hook': 'push_events',
  'Tag Push Hook': 'tag_push_events',
  'Issue Hook': 'issues_events',
  'Confidential Issue Hook': 'confidential_issues_events',
  'Note Hook': 'note_events',
  'Confidential Note Hook': 'confidential_note_events',
  'Merge Request Hook': 'merge_requests_events',
  'Wiki Page Hook': 'wiki_page_events',
  'Pipeline Hook': 'pipeline_events',
  'Job Hook': 'job_events',
  'Deployment Hook': 'deployment_events',
  'Feature Flag Hook': 'feature_flag_events',
  'Release Hook': 'releases_events',
  'Milestone Hook': 'milestone_events',
  'Emoji Hook': 'emoji_events',
  'Resource Access Token Hook': 'resource_access_token_events',
  'Vulnerability Hook': 'vulnerability_events',
  'Member Hook': 'member_events',
  'Subgroup Hook': 'subgroup_events',
  'Project Hook': 'project_events',
};

/** The same by `object_kind` in the payload. Confidential issues and their comments have the kind of the others. */
const BY_KIND = {
  push: ['push_events'],
  tag_push: ['tag_push_events'],
  issue: ['issues_events', 'confidential_issues_events'],
  note: ['note_events', 'confidential_note_events'],
  merge_request: ['merge_requests_events'],
  wiki_page: ['wiki_page_events'],
  pipeline: ['pipeline_events'],
  build: ['job_events'],
  deployment: ['deployment_events'],
  feature_flag: ['feature_flag_events'],
  release: ['releases_events'],
  milestone: ['milestone_events'],
  emoji: ['emoji_events'],
  access_token: ['resource_access_token_events'],
  vulnerability: ['vulnerability_events'],
};

/** Only webhooks of groups have them. */
export const GROUP_EVENTS: readonly string[] = ['member_events', 'subgroup_events', 'project_events'];

/** https://docs.gitlab.com/user/project/integrations/webhook_events/ */
export const GITLAB_EVENTS: EventTable = {
  places: [
    {
      ...GITLAB.eventName,
      registeredAs: new Map(Object.entries(BY_HEADER).map(([name, attribute]) => [name, [attribute]])),
    },
    { path: 'object_kind', registeredAs: new Map(Object.entries(BY_KIND)) },
  ],
  settings: { pushWebhook: 'push_events', pullRequests: 'merge_requests_events' },
  all: Object.values(BY_HEADER),
  unregistrable: new Map(),
};
