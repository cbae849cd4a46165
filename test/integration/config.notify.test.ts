import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load-config.ts';
import type { JsonObject } from '../../src/domain/json.ts';

const GITHUB = { type: 'github', secretName: 'TOKEN' };
const GITEA = { type: 'gitea', secretName: 'TOKEN', url: 'https://git.example.com/api/v1' };

function load(url: string, ...notify: JsonObject[]) {
  const factories = [{ name: 'payments', source: { type: 'repository', url }, notify }];
  return loadConfig({ file: null, env: {}, overrides: { factories } });
}

const targetOf = async (url: string, notify: JsonObject) => (await load(url, notify)).factories[0]!.notify[0]!;

describe('a target', () => {
  it('gets defaults from its type and its factory', async () => {
    expect(await targetOf('https://github.com/team/factory.git', GITHUB)).toEqual({
      type: 'github',
      url: 'https://api.github.com',
      repository: 'team/factory',
      secretName: 'TOKEN',
      context: 'dockbell/payments',
      format: 'standard',
      allowPrivateAddresses: true,
      targetUrl: null,
    });
  });

  it('keeps what is written', async () => {
    const written = {
      ...GITEA,
      url: 'http://127.0.0.1:3000/api/v1/',
      repository: 'a/b',
      context: 'deploy',
      targetUrl: 'https://dockbell.example.com/?factory=payments',
    };
    expect(await targetOf('/srv/a.git', written)).toEqual({
      ...written,
      format: 'standard',
      allowPrivateAddresses: true,
      url: 'http://127.0.0.1:3000/api/v1',
    });
  });

  const gitlab = { type: 'gitlab', secretName: 'TOKEN' };
  it.each<[source: string, notify: JsonObject, repository: string]>([
    ['git@github.com:team/factory.git', GITHUB, 'team/factory'],
    ['ssh://git@github.com/team/factory', GITHUB, 'team/factory'],
    ['https://user:pass@GitHub.com/team/factory/', GITHUB, 'team/factory'],
    ['https://ghe.example.com/team/factory', { ...GITHUB, url: 'https://ghe.example.com/api/v3' }, 'team/factory'],
    ['https://gitlab.com/group/sub/factory.git', gitlab, 'group/sub/factory'],
    ['https://x.example/git/group/f.git', { ...gitlab, url: 'https://x.example/git/api/v4' }, 'group/f'],
    ['ssh://git@git.example.com:2222/team/factory.git', GITEA, 'team/factory'],
  ])('of %s finds the name of the repository', async (source, notify, repository) => {
    expect((await targetOf(source, notify)).repository).toBe(repository);
  });
});

describe('the section pullRequests', () => {
  const section = { type: 'github', secretName: 'CHECKS' };
  const read = (pullRequests: JsonObject, source: JsonObject, notify: JsonObject[] = []) => {
    const factories = [{ name: 'payments', source, notify, pullRequests }];
    return loadConfig({ file: null, env: {}, overrides: { factories } });
  };
  const repository = { type: 'repository', url: 'https://github.com/team/factory.git' };

  it('gets defaults from its type and its factory', async () => {
    expect((await read(section, repository)).factories[0]!.pullRequests).toEqual({
      type: 'github',
      url: 'https://api.github.com',
      repository: 'team/factory',
      secretName: 'CHECKS',
      context: 'dockbell/payments/plan',
      pollIntervalMs: 60_000,
      comment: true,
      backtest: true,
      reportUntouched: false,
      targetUrl: null,
      allowPrivateAddresses: true,
    });
    expect((await load('https://github.com/team/factory')).factories[0]!.pullRequests).toBeNull();
  });

  it.each<[what: string, pullRequests: JsonObject, source: JsonObject, notify: JsonObject[], message: RegExp]>([
    ['no secret', { type: 'github' }, repository, [], /the required key "secretName" is missing/],
    ['a hosted factory', section, { type: 'managed' }, [], /remove factories\[0\]\.pullRequests: only a factory/],
    [
      'an API without a repository',
      { ...section, type: 'gitlab' },
      repository,
      [],
      /"repository" is missing in factories\[0\]\.pullRequests/,
    ],
    [
      'web pages instead of an API',
      { ...section, type: 'gitlab', url: 'https://gitlab.example.com' },
      repository,
      [],
      /pullRequests\.url must be .*ends in \/api\/v4/,
    ],
    [
      'a token over plain http',
      { ...section, url: 'http://ghe.example.com/api/v3', repository: 'a/b' },
      repository,
      [],
      /pullRequests\.url must use https/,
    ],
    [
      'the context of notify',
      { ...section, context: 'dockbell/payments' },
      repository,
      [GITHUB],
      /pullRequests\.context must differ/,
    ],
  ])('rejects %s', async (_what, pullRequests, source, notify, message) => {
    const error = await read(pullRequests, source, notify).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) });
  });
});

describe('an invalid target', () => {
  const hook = { type: 'webhook', secretName: 'S', url: 'https://chat.example.com/x?key=hidden-key' };
  it.each<[what: string, notify: JsonObject[], message: RegExp]>([
    [
      'a repository of another host',
      [{ ...GITHUB, type: 'gitlab' }],
      /the required key "repository" is missing in factories\[0\].notify\[0\]/,
    ],
    [
      'a git host without URL',
      [{ ...GITEA, url: null }],
      /the required key "url" is missing in factories\[0\].notify\[0\]: .*\/api\/v1/,
    ],
    ['a webhook without URL', [{ ...hook, url: null }], /the required key "url" is missing/],
    [
      'an address of web pages',
      [{ ...GITEA, url: 'https://git.example.com' }],
      /notify\[0\]\.url must be .*ends in \/api\/v1/,
    ],
    [
      'a token over plain http',
      [{ ...GITEA, url: 'http://git.example.com/api/v1' }],
      /notify\[0\]\.url must use https/,
    ],
    ['a query', [{ ...GITEA, url: 'https://git.example.com/api/v1?a=/api/v1' }], /without a query/],
    ['a name without owner', [{ ...GITHUB, repository: 'factory' }], /notify\[0\]\.repository must be an owner/],
    ['a repository name with ..', [{ ...GITHUB, repository: '../factory' }], /notify\[0\]\.repository must be/],
    ['a repository of a webhook', [{ ...hook, repository: 'a/b' }], /a target of type webhook has no repository/],
    [
      'a format of a git host',
      [{ ...GITHUB, format: 'cloudevents' }],
      /notify\[0\]\.format: only a target of type webhook/,
    ],
    ['a password in the URL', [{ ...GITEA, url: 'https://u:p@git.example.com/api/v1' }], /without user name/],
    ['no secret', [{ type: 'github' }], /the required key "secretName" is missing/],
    ['a token instead of the name of its secret', [{ ...GITHUB, secretName: 'ghp-0123' }], /the name of a team secret/],
    [
      'a duplicate target',
      [GITHUB, hook, GITHUB],
      /notify\[2\] is a duplicate target: same as factories\[0\].notify\[0\]/,
    ],
    ['an unknown key', [{ ...GITHUB, token: 'x' }], /unknown key "token"/],
    ['an unknown type', [{ ...GITHUB, type: 'svn' }], /notify\[0\]\.type must be github, gitlab, /],
  ])('%s', async (_what, notify, message) => {
    const error = await load('https://github.com/team/factory', ...notify).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: 'config_invalid', message: expect.stringMatching(message) });
    expect(error.message).not.toContain('hidden-key');
  });

  it('is not a webhook over plain http, because no secret is sent to it', async () => {
    const target = await targetOf('/srv/a.git', { ...hook, url: 'http://receiver:8080/x' });
    expect(target).toMatchObject({ url: 'http://receiver:8080/x', repository: null });
  });
});
