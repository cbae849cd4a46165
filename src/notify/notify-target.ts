import { createHash } from 'node:crypto';

/** Who is told of the outcome of each commit of a factory. */
export interface NotifyTarget {
  type: 'github' | 'gitlab' | 'gitea' | 'forgejo' | 'webhook';
  /** Base of the API, or address of the webhook, which may hold a credential: not to be shown. */
  url: string;
  /** Name of the repository at the git host; `null` for a webhook. */
  repository: string | null;
  /** Team secret that holds the access token, or the signing secret of a webhook. */
  secretName: string;
  context: string;
  /** What the status links to. */
  targetUrl: string | null;
  /** The production branch, whose commits are told of. */
  branch: string;
}

/** Tells targets apart in the storage. What is not part of where a status appears may change. */
export function digestTarget({ type, url, repository, context }: NotifyTarget): string {
  return createHash('sha256')
    .update(JSON.stringify([type, url, repository, context]))
    .digest('hex');
}

/** For logs and conditions; the path of a webhook's URL may be a credential and is left out. */
export function nameTarget({ type, url, repository }: NotifyTarget): string {
  return `${type} ${repository ?? new URL(url).host}`;
}
