import { describe, expect, it } from 'vitest';
import { scanJson } from '../../domain/payload/scan-json.ts';
import { WantedKeys } from '../../domain/payload/wanted-keys.ts';
import { compileSubject } from './read-subject.ts';

/** As the ingress reads it: from the keys that are named only. */
function read(provider: string | null, payload: object): string | null | undefined {
  const subject = compileSubject(provider);
  if (subject === null) return undefined;
  const scan = scanJson(Buffer.from(JSON.stringify(payload)), WantedKeys.of(subject.paths));
  return subject.read(scan.ok ? scan.value : undefined);
}

const repository = { full_name: 'acme/shop' };

describe('the subject of a delivery', () => {
  it.each<[string, string, object, string]>([
    ['an issue', 'github', { repository, issue: { number: 12 } }, '["github","acme/shop",12]'],
    ['a pull request', 'github', { repository, pull_request: { number: 12 } }, '["github","acme/shop",12]'],
    [
      'the first pull request of a check',
      'github',
      { repository, check_suite: { pull_requests: [{ number: 5 }, { number: 6 }] } },
      '["github","acme/shop",5]',
    ],
    ['an issue without a repository', 'linear', { data: { identifier: 'ENG-12' } }, '["linear",null,"ENG-12"]'],
    [
      'a merge request',
      'gitlab',
      { project: { path_with_namespace: 'acme/shop' }, object_attributes: { iid: 5 } },
      '["gitlab","acme/shop","merge_request",5]',
    ],
    [
      'an issue with the number of a merge request',
      'gitlab',
      { project: { path_with_namespace: 'acme/shop' }, object_attributes: { id: 9 }, issue: { iid: 5 } },
      '["gitlab","acme/shop","issue",5]',
    ],
    ['a work item', 'azure_devops', { resource: { workItemId: 5 } }, '["azure_devops",null,"work_item",5]'],
    ['an issue of Jira', 'jira', { issue: { key: 'ENG-12' } }, '["jira",null,"ENG-12"]'],
    ['a thread', 'slack', { event: { channel: 'C1', ts: '17.2', thread_ts: '17.1' } }, '["slack",null,"C1/17.1"]'],
    ['the message that begins a thread', 'slack', { event: { channel: 'C1', ts: '17.1' } }, '["slack",null,"C1/17.1"]'],
  ])('is %s of %s', (_, provider, payload, subject) => {
    expect(read(provider, payload)).toBe(subject);
  });

  it.each<[string, object]>([
    ['a push', { repository, after: 'a' }],
    ['a workflow run of a fork', { repository, workflow_run: { pull_requests: [] } }],
    ['a number that is none', { repository, issue: { number: { a: 1 } } }],
    ['no object', []],
  ])('does not exist for %s', (_, payload) => {
    expect(read('github', payload)).toBeNull();
  });

  it('is short for any key', () => {
    const long = read('jira', { issue: { key: '\u{1f600}'.repeat(256) } });
    expect(long).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(read('jira', { issue: { key: 'a'.repeat(1000) } })).toBeNull();
  });

  it('is not read for a webhook that serves no provider', () => {
    expect(compileSubject(null)).toBeNull();
  });
});
