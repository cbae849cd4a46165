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

/** https://docs.github.com/rest: commit statuses, pulls, issue comments. */
export const GITHUB: GitHostApi = {
  tokenRights:
    '"Pull requests: read and write", "Commit statuses: read and write" and "Metadata: read" for the repository',
  authorize: (token) => ({
    Accept: 'application/vnd.github+json',
    'X-GitHub-Api-Version': '2022-11-28',
    Authorization: `Bearer ${token}`,
  }),
  statusUrl: (place, commit) => `${repositoryUrl(place)}/statuses/${commit}`,
  openRequestsUrl: (place, branch, page) =>
    `${repositoryUrl(place)}/pulls?state=open&base=${encodeURIComponent(branch)}&sort=updated&direction=desc&per_page=${REQUESTS_PER_PAGE}&page=${page}`,
  readOpenRequest: (row) => {
    const [number, commit] = [readKey(row, 'number'), readKey(row, 'head', 'sha')];
    const [from, to] = [readKey(row, 'head', 'repo', 'id'), readKey(row, 'base', 'repo', 'id')];
    // The repository of a head is `null` if a fork was deleted.
    if (!isNumber(number) || !isCommit(commit)) return null;
    const [title, url] = [readTitle(readKey(row, 'title')), readPage(readKey(row, 'html_url'))];
    return { number, commit, title, url, isFork: !isNumber(from) || from !== to };
  },
  headRef: (number) => `refs/pull/${number}/head`,
  userUrl: ({ url }) => `${url}/user`,
  commentsUrl: (place, number) => `${repositoryUrl(place)}/issues/${number}/comments`,
  commentPageUrl: (place, number, page) =>
    `${repositoryUrl(place)}/issues/${number}/comments?per_page=${COMMENTS_PER_PAGE}&page=${page}`,
  commentUrl: (place, _number, id) => `${repositoryUrl(place)}/issues/comments/${id}`,
  updateMethod: 'PATCH',
  readComment: (row) => {
    const [id, body, author] = [readKey(row, 'id'), readKey(row, 'body'), readKey(row, 'user', 'id')];
    if (!isNumber(id) || typeof body !== 'string') return null;
    return { id, body, authorId: isNumber(author) ? author : null, isByApp: readKey(row, 'user', 'type') === 'Bot' };
  },
};

/** GitHub and Gitea have the same paths for statuses and comments. */
export function repositoryUrl({ url, repository }: HostPlace): string {
  return `${url}/repos/${repository.split('/').map(encodeURIComponent).join('/')}`;
}
