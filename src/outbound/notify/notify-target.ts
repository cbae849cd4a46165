import { createHash } from 'node:crypto';

/** A receiver of the status of each commit of a factory. */
export interface NotifyTarget {
  type: 'github' | 'gitlab' | 'gitea' | 'forgejo' | 'webhook';
  /** Base of the API, or URL of the webhook, which may contain a credential: must not be shown. */
  url: string;
  /** Name of the repository at the git host; `null` for a webhook. */
  repository: string | null;
  /** Team secret with the access token, or with the signing secret of a webhook. */
  secretName: string;
  context: string;
  /** Of the body of a webhook. */
  format: 'standard' | 'cloudevents';
  /** May the target have a private, loopback or reserved address? */
  allowPrivateAddresses: boolean;
  /** URL that the status links to. */
  targetUrl: string | null;
  /** The production branch, whose commits are reported. */
  branch: string;
  /** For a target that gets the results of runs: how a git host shows them, or a callback. */
  runs?: RunPost | 'callback';
  /** For a git host whose pull requests are checked: what it gets about each, or that it is asked for them. */
  requests?: 'status' | 'comment' | 'list';
}

/** Where the result of a run appears at a git host: templates over paths of the payload. */
export interface RunPost {
  post: 'status' | 'comment';
  repository: string | null;
  commit: string | null;
  number: string | null;
}

/** Identifies a target in the storage. Values that do not affect where a status appears may change. */
export function digestTarget({ type, url, repository, context, runs, requests }: NotifyTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([type, url, repository, context, ...[runs, requests].filter((kind) => kind !== undefined)]))
    .digest('hex');
}

/** For logs and conditions; the path of a webhook's URL may be a credential and is omitted. */
export function nameTarget({ type, url, repository, requests }: NotifyTarget): string {
  const place = `${type} ${repository ?? new URL(url).host}`;
  return requests === undefined ? place : `${place} (pull requests)`;
}

/** The same for a target that gets the results of runs, with what it gets. */
export function nameRunTarget({ type, url, runs }: NotifyTarget): string {
  const { host } = new URL(url);
  return runs === undefined || runs === 'callback' ? `${type} ${host}` : `${type} ${runs.post} ${host}`;
}
