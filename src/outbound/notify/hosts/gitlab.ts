import {
  COMMENTS_PER_PAGE,
  type GitHostApi,
  type HostPlace,
  isCommit,
  isNumber,
  REQUESTS_PER_PAGE,
  readKey,
  readPage,
  readTitle,
} from './git-host-api.ts';

/** https://docs.gitlab.com/api: commit statuses, merge requests, notes. */
export const GITLAB: GitHostApi = {
  tokenRights: 'the role Developer and the scope api',
  authorize: (token) => ({ Accept: 'application/json', 'PRIVATE-TOKEN': token }),
  statusUrl: (place, commit) => `${projectUrl(place)}/statuses/${commit}`,
  openRequestsUrl: (place, branch, page) =>
    `${projectUrl(place)}/merge_requests?state=opened&target_branch=${encodeURIComponent(branch)}&order_by=updated_at&sort=desc&per_page=${REQUESTS_PER_PAGE}&page=${page}`,
  readOpenRequest: (row) => {
    const [number, commit] = [readKey(row, 'iid'), readKey(row, 'sha')];
    const [from, to] = [readKey(row, 'source_project_id'), readKey(row, 'target_project_id')];
    // A merge request without commits has no `sha`.
    if (!isNumber(number) || !isCommit(commit)) return null;
    const [title, url] = [readTitle(readKey(row, 'title')), readPage(readKey(row, 'web_url'))];
    return { number, commit, title, url, isFork: !isNumber(from) || from !== to };
  },
  headRef: (number) => `refs/merge-requests/${number}/head`,
  userUrl: ({ url }) => `${url}/user`,
  commentsUrl: (place, number) => `${projectUrl(place)}/merge_requests/${number}/notes`,
  commentPageUrl: (place, number, page) =>
    `${projectUrl(place)}/merge_requests/${number}/notes?order_by=created_at&sort=asc&per_page=${COMMENTS_PER_PAGE}&page=${page}`,
  commentUrl: (place, number, id) => `${projectUrl(place)}/merge_requests/${number}/notes/${id}`,
  updateMethod: 'PUT',
  readComment: (row) => {
    const [id, body, author] = [readKey(row, 'id'), readKey(row, 'body'), readKey(row, 'author', 'id')];
    if (!isNumber(id) || typeof body !== 'string') return null;
    // Project and group tokens are accounts, so each author can be compared.
    return { id, body, authorId: isNumber(author) ? author : null, isByApp: false };
  },
};

/** @param place `repository` is the path or the number of a project */
export function projectUrl({ url, repository }: HostPlace): string {
  return `${url}/projects/${encodeURIComponent(repository)}`;
}
