import type { Json } from '../../domain/json.ts';
import {
  type CommitReport,
  isRequestReport,
  isRunReport,
  type Notice,
  type RequestState,
} from '../../domain/messages/notice.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import { quietLine } from '../../domain/words/posted-markdown.ts';
import { signWebhook } from '../sign-webhook.ts';
import { composeCallback, composeComment, describeRun, nameContext } from './build-run-request.ts';
import { cutText, describeReport } from './describe-report.ts';
import { GITHUB, repositoryUrl } from './hosts/github.ts';
import { GITLAB, projectUrl } from './hosts/gitlab.ts';
import type { NotifyTarget } from './notify-target.ts';

/** The request to a target. The headers contain its token: never log them. */
export interface NotifyRequest {
  /** Default: `POST`. */
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  url: string;
  headers: Record<string, string>;
  body: string;
  /** As `NotifyTarget.allowPrivateAddresses`. */
  allowPrivateAddresses: boolean;
  /** The rest of the response is not read. Default: the length of an error message. */
  maxResponseBytes?: number;
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

/** The request that reports a commit or a run to a target. Throws `bad_request` for a secret that cannot sign. */
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
  const headers = GITHUB.authorize(secret);
  return { url: postUrl(target, notice), headers, body: composePost(target, notice, GITHUB_DESCRIPTION) };
}

/** Swagger of Gitea and Forgejo: `repoCreateStatus`. */
function buildGitea({ target, notice, secret }: NotifyOrder): BuiltRequest {
  const headers = { Accept: 'application/json', Authorization: `token ${secret}` };
  return { url: postUrl(target, notice), headers, body: composePost(target, notice, DESCRIPTION) };
}

/** GitHub and Gitea have the same paths and bodies for statuses and comments. */
function postUrl({ url, repository }: NotifyTarget, { revision, report }: Notice): string {
  const place = isRunReport(report) ? report.place! : { repository: repository!, commit: revision, number: null };
  const base = repositoryUrl({ url, repository: place.repository });
  return place.commit === null ? `${base}/issues/${place.number}/comments` : `${base}/statuses/${place.commit}`;
}

function composePost(target: NotifyTarget, { report }: Notice, maxLength: number): string {
  if (isRunReport(report) && report.place?.commit === null) return JSON.stringify({ body: composeComment(report) });
  const { state } = report;
  const { targetUrl } = target;
  const status = { state, description: describe(report, maxLength), context: contextOf(target, report) };
  return JSON.stringify({ ...status, ...(targetUrl === null ? {} : { target_url: targetUrl }) });
}

function describe(report: Notice['report'], maxLength: number): string {
  if (isRequestReport(report)) return cutText(quietLine(report.description), maxLength);
  return isRunReport(report) ? describeRun(report, maxLength) : describeReport(report, maxLength);
}

function contextOf(target: NotifyTarget, report: Notice['report']): string {
  return isRunReport(report) ? nameContext(target, report) : target.context;
}

const GITLAB_STATES: Readonly<Record<RequestState, string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'failed',
};

/** https://docs.gitlab.com/api/commits/: set commit pipeline status; https://docs.gitlab.com/api/notes/: create a note. */
function buildGitlab({ target, notice, secret }: NotifyOrder): BuiltRequest {
  const { report } = notice;
  const { url, targetUrl, branch } = target;
  const headers = GITLAB.authorize(secret);
  const place = isRunReport(report) ? report.place! : { repository: target.repository!, commit: notice.revision };
  const project = projectUrl({ url, repository: place.repository });
  if (isRunReport(report) && place.commit === null) {
    const notes = `${project}/merge_requests/${report.place!.number}/notes`;
    return { url: notes, headers, body: JSON.stringify({ body: composeComment(report) }) };
  }
  const body = {
    state: GITLAB_STATES[report.state],
    name: contextOf(target, report),
    // The ref of a commit of a run or of a request is not known.
    ...(isRunReport(report) || isRequestReport(report) ? {} : { ref: branch }),
    description: describe(report, DESCRIPTION),
    ...(targetUrl === null ? {} : { target_url: targetUrl }),
  };
  return { url: `${project}/statuses/${place.commit}`, headers, body: JSON.stringify(body) };
}

/** The ID is the same in each retry. */
function buildWebhook({ target, notice, secret, nowMs }: NotifyOrder): BuiltRequest {
  const { id } = notice;
  const { report } = notice;
  const { mediaType, body } = isRunReport(report)
    ? { mediaType: 'application/json', body: composeCallback(report) }
    : FORMATS[target.format](target, { ...notice, report: report as CommitReport });
  const text = JSON.stringify(body);
  const headers = signWebhook(secret, { id, url: target.url, body: Buffer.from(text), nowMs });
  return { url: target.url, headers: { ...headers, 'Content-Type': mediaType }, body: text };
}

type CommitNotice = Notice & { report: CommitReport };
type WebhookFormat = (target: NotifyTarget, notice: CommitNotice) => { mediaType: string; body: Json };

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

function nameEvent({ report }: CommitNotice): string {
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
