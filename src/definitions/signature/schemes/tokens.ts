import type { TokenScheme } from '../scheme.ts';
import { HOUR_SECONDS, retriesWithin, UNDOCUMENTED } from './parts.ts';

const ROW = {
  family: 'token',
  identity: null,
  rejectedSecrets: [],
  retries: UNDOCUMENTED,
  whenSecretIsIssued: 'user',
  canGenerateSecret: false,
} as const;

/**
 * Senders that send a shared secret unchanged. Datadog and Opsgenie are missing: they document only custom headers, and
 * `authMode: token` serves those.
 */
export const TOKENS: readonly TokenScheme[] = [
  {
    ...ROW,
    name: 'alertmanager',
    title: 'Prometheus Alertmanager',
    event: { path: ['status'] },
    summary: '{commonLabels.alertname|groupLabels.alertname}',
    places: [{ in: 'basic' }, { in: 'bearer' }],
    documentation: 'https://prometheus.io/docs/alerting/latest/configuration/#http_config',
  },
  {
    ...ROW,
    name: 'azure_devops',
    title: 'Azure DevOps',
    event: { path: ['eventType'] },
    summary: '{message.text|resource.name}',
    places: [{ in: 'basic' }],
    eventId: { path: ['id'], source: 'https://learn.microsoft.com/en-us/azure/devops/service-hooks/events' },
    documentation: 'https://learn.microsoft.com/en-us/azure/devops/service-hooks/services/webhooks',
  },
  {
    ...ROW,
    name: 'buildkite_token',
    title: 'Buildkite (token)',
    event: { header: 'X-Buildkite-Event' },
    sendsPing: true,
    summary: '{pipeline.slug} · #{build.number} · {build.state} · {build.message}',
    places: [{ in: 'header', name: 'X-Buildkite-Token' }],
    whenSecretIsIssued: 'after',
    documentation: 'https://buildkite.com/docs/apis/webhooks/pipelines',
  },
  {
    ...ROW,
    name: 'gitlab',
    title: 'GitLab (secret token)',
    event: { header: 'X-Gitlab-Event' },
    summary:
      '{project.path_with_namespace} · {object_attributes.iid} · {object_attributes.title|object_attributes.note|object_attributes.detailed_status|ref} · {user_username|user.username}',
    places: [{ in: 'header', name: 'X-Gitlab-Token' }],
    identity: 'Idempotency-Key',
    documentation: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
  },
  {
    ...ROW,
    name: 'grafana_token',
    title: 'Grafana (without HMAC)',
    event: { path: ['status'] },
    summary: '{title|commonLabels.alertname}',
    places: [{ in: 'basic' }, { in: 'bearer' }, { in: 'header', name: 'Authorization' }],
    documentation:
      'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  },
  {
    ...ROW,
    name: 'heroku_token',
    title: 'Heroku (authorization)',
    places: [{ in: 'header', name: 'Authorization' }],
    documentation: 'https://devcenter.heroku.com/articles/app-webhooks',
  },
  {
    ...ROW,
    name: 'microsoft_graph',
    title: 'Microsoft Graph',
    places: [{ in: 'json_list', list: 'value', key: 'clientState' }],
    retries: retriesWithin(4 * HOUR_SECONDS, null),
    documentation: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
  },
  {
    ...ROW,
    name: 'okta',
    title: 'Okta',
    places: [{ in: 'header', name: 'Authorization' }],
    documentation: 'https://developer.okta.com/docs/concepts/event-hooks/',
  },
];
