import { describe, expect, it } from 'vitest';
import { concernsBranch } from './pushed-branches.ts';

const cloud = (...changes: unknown[]) => ({ push: { changes } });
const branch = (name: string) => ({ type: 'branch', name });

describe('concernsBranch', () => {
  it.each<[what: string, payload: unknown, concerns: boolean]>([
    ['GitHub, GitLab, Gitea and Forgejo: the branch', { ref: 'refs/heads/main', after: 'c0ffee' }, true],
    ['another branch', { ref: 'refs/heads/main2' }, false],
    ['a branch that ends alike', { ref: 'refs/heads/feature/main' }, false],
    ['a tag of the same name', { ref: 'refs/tags/main' }, false],
    ['its deletion', { ref: 'refs/heads/main', deleted: true }, true],
    ['GitHub, creation of a branch', { ref: 'main', ref_type: 'branch' }, true],
    ['Bitbucket Cloud: the branch', cloud({ new: branch('main'), old: branch('main') }), true],
    ['Bitbucket Cloud: one of several', cloud({ new: branch('x'), old: null }, { new: branch('main') }), true],
    ['Bitbucket Cloud: another', cloud({ new: branch('x'), old: null }), false],
    ['Bitbucket Cloud: a tag', cloud({ new: { type: 'tag', name: 'main' }, old: null }), false],
    ['Bitbucket Cloud: its deletion', cloud({ new: null, old: branch('main') }), true],
    ['Bitbucket Data Center: the branch', { changes: [{ refId: 'refs/heads/main' }] }, true],
    ['Bitbucket Data Center: another', { changes: [{ refId: 'refs/heads/x' }] }, false],
    ['no ref at all', { zen: 'Keep it simple.' }, true],
    ['changes that name none', { push: { changes: [1, null, {}, { new: 'main' }] } }, true],
    ['a list', [{ ref: 'refs/heads/x' }], true],
    ['nothing', null, true],
    ['more changes than anybody reads', { changes: Array(1001).fill({ refId: 'refs/heads/x' }) }, true],
  ])('%s', (_what, payload, concerns) => {
    expect(concernsBranch(payload, 'main')).toBe(concerns);
  });
});
