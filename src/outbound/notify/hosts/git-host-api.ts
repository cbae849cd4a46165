import { readPageUrl } from '../../../domain/messages/page-url.ts';

/** An open pull or merge request, as far as its host is believed: the commit is read from git. */
export interface OpenRequest {
  number: number;
  /** The commit at its head. */
  commit: string;
  /** Text of somebody who may be anybody; `''` if the row has none. */
  title: string;
  /** Its page, `http` or `https`; `null` if the row has none. */
  url: string | null;
  /** Is the head in another repository than the one it is for? */
  isFork: boolean;
}

/** A comment on a request. */
export interface HostComment {
  id: number;
  authorId: number | null;
  /** Did an app write it, not a person? */
  isByApp: boolean;
  body: string;
}

/** Where something is at a host. */
export interface HostPlace {
  /** Base of the API. */
  url: string;
  repository: string;
}

/** The paths, headers and answers of the API of one git host. All answers are read like those of a third party. */
export interface GitHostApi {
  /** What a token for the checks of requests must be allowed to do, as its settings name it. */
  tokenRights: string;
  /** The headers of each request. */
  authorize(token: string): Record<string, string>;
  statusUrl(place: HostPlace, commit: string): string;
  /** The page of the open requests for a branch, those that changed last first. */
  openRequestsUrl(place: HostPlace, branch: string, page: number): string;
  /** `null` for a row that cannot be read. */
  readOpenRequest(row: unknown): OpenRequest | null;
  /** The ref of the head of a request, in the repository that it is for. */
  headRef(number: number): string;
  /** The account of the token. An app has none at some hosts. */
  userUrl(place: HostPlace): string;
  /** Comments on a request: to create one. */
  commentsUrl(place: HostPlace, number: number): string;
  /** A page of them, oldest first. */
  commentPageUrl(place: HostPlace, number: number, page: number): string;
  commentUrl(place: HostPlace, number: number, id: number): string;
  /** Changes a comment. */
  updateMethod: 'PATCH' | 'PUT';
  readComment(row: unknown): HostComment | null;
}

/** Rows of one page. A page of GitHub has more than ten kilobytes for each request. */
export const REQUESTS_PER_PAGE = 30;
/** A comment may have 64 Ki characters, or a megabyte at GitLab. */
export const COMMENTS_PER_PAGE = 20;

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Reads the value at a path of keys; `undefined` if an object of it is missing. */
export function readKey(row: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    return isObject ? (value as Record<string, unknown>)[key] : undefined;
  }, row);
}

export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

export function isCommit(value: unknown): value is string {
  return typeof value === 'string' && COMMIT.test(value);
}

const MAX_TITLE = 300;

/** The beginning of a title; `''` if it is not a text. */
export function readTitle(value: unknown): string {
  return typeof value === 'string' ? [...value.slice(0, 2 * MAX_TITLE)].slice(0, MAX_TITLE).join('') : '';
}

/** A host of a company may have no TLS. */
const PAGE_PROTOCOLS = ['https:', 'http:'] as const;

/** The page of a request; `null` if it is none. */
export function readPage(value: unknown): string | null {
  return readPageUrl(value, PAGE_PROTOCOLS);
}
