import type { Json } from '../core/json.ts';
import type { CommitReport, CommitState, Notice } from '../core/notice.ts';
import { formatInstant } from '../core/time/clock.ts';
import { signWebhook } from '../outbound/sign-webhook.ts';
import { describeReport } from './describe-report.ts';
import type { NotifyTarget } from './notify-target.ts';

/** The request to a target. The headers contain its token: never log them. */
export interface NotifyRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
  /** As `NotifyTarget.allowPrivateAddresses`. */
  allowPrivateAddresses: boolean;
}

/** One request to build. */
export interface NotifyOrder {
  target: NotifyTarget;
  notice: Notice;
  /** Access token, or signing secret of a webhook. */
  secret: string;
  /** For example `dockbell/1.0.0`. */
  userAgent: string;
  nowMs: number;
}

/** GitHub rejects longer descriptions; GitLab stores 255 characters, and Gitea shows no more in one line. */
const GITHUB_DESCRIPTION = 140;
const DESCRIPTION = 255;

/** What depends on the type of the target. */
type BuiltRequest = Omit<NotifyRequest, 'allowPrivateAddresses'>;

/** One row for each type of target, according to the documentation of its provider. */
const BUILDERS: Readonly<Record<NotifyTarget['type'], (order: NotifyOrder) => BuiltRequest>> = {
  github: buildGithub,
  gitlab: buildGitlab,
  gitea: buildGitea,
  forgejo: buildGitea,
  webhook: buildWebhook,
};

/** The request that reports a commit to a target. Throws `bad_request` for a secret that cannot sign. */
export function buildNotifyRequest(order: NotifyOrder): NotifyRequest {
  const { url, headers, body } = BUILDERS[order.target.type](order);
  return {
    url,
    body,
    headers: { 'Content-Type': 'application/json', 'User-Agent': order.userAgent, ...headers },
    allowPrivateAddresses: order.target.allowPrivateAddresses,
  };
}

/** https://docs.github.com/rest/commits/statuses: create a commit status. */
function buildGithub({ target, notice, secret }: NotifyOrder): BuiltRequest {
  const headers = {
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    Authorization: `Bearer ${secret}`,
  };
  const { state } = notice.report;
  const body = composeStatus(target, { state, description: describeReport(notice.report, GITHUB_DESCRIPTION) });
  return { url: statusUrl(target, notice), headers, body };
}

/** Swagger of Gitea and Forgejo: `repoCreateStatus`. */
function buildGitea({ target, notice, secret }: NotifyOrder): BuiltRequest {
  const headers = { Accept: 'application/json', Authorization: `token ${secret}` };
  const { state } = notice.report;
  const body = composeStatus(target, { state, description: describeReport(notice.report, DESCRIPTION) });
  return { url: statusUrl(target, notice), headers, body };
}

function statusUrl({ url, repository }: NotifyTarget, { revision }: Notice): string {
  const path = repository!.split('/').map(encodeURIComponent).join('/');
  return `${url}/repos/${path}/statuses/${revision}`;
}

function composeStatus({ context, targetUrl }: NotifyTarget, status: Record<string, string>): string {
  return JSON.stringify({ ...status, context, ...(targetUrl === null ? {} : { target_url: targetUrl }) });
}

const GITLAB_STATES: Readonly<Record<CommitState, string>> = { success: 'success', failure: 'failed', error: 'failed' };

/** https://docs.gitlab.com/api/commits/: set commit pipeline status. */
function buildGitlab({ target, notice, secret }: NotifyOrder): BuiltRequest {
  const { url, repository, context, targetUrl, branch } = target;
  const body = {
    state: GITLAB_STATES[notice.report.state],
    name: context,
    ref: branch,
    description: describeReport(notice.report, DESCRIPTION),
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  };
  return {
    url: `${url}/projects/${encodeURIComponent(repository!)}/statuses/${notice.revision}`,
    headers: { Accept: 'application/json', 'PRIVATE-TOKEN': secret },
    body: JSON.stringify(body),
  };
}

/** The ID is the same in each retry. */
function buildWebhook({ target, notice, secret, nowMs }: NotifyOrder): BuiltRequest {
  const { id } = notice;
  const { mediaType, body } = FORMATS[target.format](target, notice);
  const text = JSON.stringify(body);
  const headers = signWebhook(secret, { id, url: target.url, body: Buffer.from(text), nowMs });
  return { url: target.url, headers: { ...headers, 'Content-Type': mediaType }, body: text };
}

type WebhookFormat = (target: NotifyTarget, notice: Notice) => { mediaType: string; body: Json };

const FORMATS: Readonly<Record<NotifyTarget['format'], WebhookFormat>> = {
  standard: (target, notice) => ({
    mediaType: 'application/json',
    body: {
      type: nameEvent(notice),
      timestamp: formatInstant(notice.report.finishedAt),
      data: presentReport(target, notice, notice.report),
    },
  }),
  /** https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md: structured mode. */
  cloudevents: (target, notice) => ({
    mediaType: 'application/cloudevents+json',
    body: {
      specversion: '1.0',
      id: notice.id,
      source: `urn:dockbell:factory:${notice.factory}`,
      type: `dockbell.${nameEvent(notice)}`,
      subject: notice.revision,
      time: formatInstant(notice.report.finishedAt),
      datacontenttype: 'application/json',
      data: presentReport(target, notice, notice.report),
    },
  }),
};

function nameEvent({ report }: Notice): string {
  return `commit_status.${report.state}`;
}

function presentReport({ context, targetUrl, branch }: NotifyTarget, notice: Notice, report: CommitReport): Json {
  return {
    factory: notice.factory,
    context,
    branch,
    revision: notice.revision,
    state: report.state,
    result: report.result,
    reason: report.reason,
    message: report.message,
    description: describeReport(report, DESCRIPTION),
    applied_revision: report.liveRevision,
    target_url: targetUrl,
    reconciliation_id: report.reconciliation,
    diagnostics: report.diagnostics.map(({ severity, rule, file, line, column, path, message, hint }) => {
      return { severity, rule, file, line, column, path, message, hint } as Json;
    }),
    diagnostics_total: report.diagnosticCount,
  };
}
