import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createTree, validateFiles } from '../../../test/helpers/definition-tree.ts';
import { readSamples } from '../check/check-samples.ts';
import { formatJunit } from './format-junit.ts';
import { formatPretty } from './format-pretty.ts';
import { reportSamples } from './report-samples.ts';
import { SAMPLE_FORMATS } from './sample-formats.ts';

const automation = (filter: string, more = '') =>
  `---\n${more}triggers:\n  - {provider: webhook, event: received, filter: ${filter}}\n---\nDo.\n`;

const FACTORY: { [path: string]: string } = {
  'webhooks/ci.yaml': 'secretName: CI\n',
  'webhooks/old.yaml': 'secretName: OLD\nenabled: false\n',
  'automations/fatal/automation.md': automation('{webhooks: [ci, old], payload: {level: [fatal]}}'),
  'automations/all/automation.md': automation('{webhooks: [ci]}'),
};

/** A trigger of pushes to branches. */
const PUSH = {
  'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB\n',
  'automations/push.md': '---\ntriggers: [{provider: github, event: push}]\n---\nDo.\n',
};

const readCase = (name: string) => JSON.parse(readFileSync(`test/vectors/cases/${name}.json`, 'utf8'));

/** Evaluates samples (file name → content) with the definitions of the factory. */
function report(
  samples: { [path: string]: unknown },
  more: { [path: string]: string } = {},
  webhook: string | null = null,
) {
  const texts = Object.entries(samples).map(([path, sample]) => [
    path.startsWith('automations/') ? `${path}.json` : `webhooks/${path}.json`,
    typeof sample === 'string' ? sample : JSON.stringify(sample),
  ]);
  const files = { ...FACTORY, ...more, ...Object.fromEntries(texts) };
  const validated = validateFiles(files);
  const subject = { validated, tree: readSamples(createTree(files), validated), prefix: '' };
  return { ...reportSamples(subject, webhook), root: '/f', sources: new Map(), color: false };
}

const FATAL = { level: 'fatal' };

describe('a sample', () => {
  it('of the case tag-push says which ref it has, and that only branches count', () => {
    const { body, 'X-GitHub-Event': event } = readCase('tag-push');
    const { samples } = report(
      { 'github.samples/tag': { headers: { 'X-GitHub-Event': event }, body, starts: ['push'] } },
      PUSH,
    );
    expect(samples[0]).toMatchObject({
      outcome: 'failed',
      failures: [
        { automation: 'push', path: 'event', message: 'ref is "refs/tags/v1.0", push starts only for branches' },
      ],
    });
    const unnamed = { headers: { 'X-GitHub-Event': event }, body: { ...body, ref: undefined }, starts: ['push'] };
    expect(report({ 'github.samples/none': unnamed }, PUSH).samples[0]!.failures[0]!.message).toBe(
      'the delivery has no branch',
    );
  });

  it('of the case ping-starts-a-run starts an automation without a filter, and none with the suggested one', () => {
    const { body, 'X-GitHub-Event': event, automations } = readCase('ping-starts-a-run');
    const started = (filter: object) => {
      const trigger = JSON.stringify({ ...automations.generic, filter });
      const files = { ...PUSH, 'automations/generic.md': `---\ntriggers: [${trigger}]\n---\nDo.\n` };
      const { definition, diagnostics } = validateFiles({ ...FACTORY, ...files });
      const pinged = report({ 'github.samples/ping': { headers: { 'X-GitHub-Event': event }, body } }, files)
        .samples[0]!;
      const hints = diagnostics.filter(({ rule }) => rule === 'automation/starts-on-ping').map(({ hint }) => hint);
      return { isValid: definition !== null, started: pinged.started, hints };
    };
    const { filter } = automations.generic;
    expect(started(filter)).toEqual({
      isValid: true,
      started: ['generic'],
      hints: ['Add to the filter: headers: {X-GitHub-Event: {not_in: [ping]}}'],
    });
    const excluded = { ...filter, headers: { 'X-GitHub-Event': { not_in: ['ping'] } } };
    expect(started(excluded)).toEqual({ isValid: true, started: [], hints: [] });
  });

  it.each(['Note Hook', 'Confidential Note Hook'])(
    'of a comment of GitLab in the event %s mentions the bot',
    (event) => {
      const files = {
        'webhooks/gitlab.yaml':
          'authMode: signature\nsignatureScheme: gitlab\nsecretName: GITLAB\nbotUsername: dockbell\n',
        'automations/mention.md': '---\ntriggers: [{provider: gitlab, event: bot_mentioned}]\n---\nDo.\n',
      };
      const note = { note: 'Look, @dockbell.', system: false, noteable_type: 'Issue' };
      const body = { object_kind: 'note', object_attributes: note, user: { username: 'ann' } };
      const sample = { headers: { 'X-Gitlab-Event': event }, body, starts: ['mention'] };
      expect(report({ 'gitlab.samples/note': sample }, files).samples[0]).toMatchObject({ outcome: 'passed' });
    },
  );

  it('of an automation is a delivery to each webhook that starts the automation', () => {
    const files = {
      'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB\n',
      'automations/fixes.md':
        '---\ntriggers:\n  - {provider: github, event: push}\n  - {provider: webhook, event: received, filter: {webhooks: [ci], payload: {fix: [1]}}}\n---\nDo.\n',
    };
    const { samples } = report(
      { 'automations/fixes.samples/a': { body: { fix: 1 }, starts: ['all', 'fixes'] } },
      files,
    );
    expect(samples).toMatchObject([
      { webhook: 'ci', name: 'a', outcome: 'passed', started: ['all', 'fixes'] },
      { webhook: 'github', name: 'a', outcome: 'failed', started: [] },
    ]);
  });

  it('of an automation that does not exist is invalid', () => {
    const found = report({ 'automations/none.samples/a': { body: {}, starts: [] } });
    expect(found).toMatchObject({ passed: false, samples: [{ webhook: null, name: 'a', outcome: 'invalid' }] });
    expect(formatJunit(found)).toContain('<testsuite name="automations" tests="1" failures="1"');
  });

  it('passes where exactly what it lists starts', () => {
    const { passed, samples } = report({ 'ci.samples/a': { body: FATAL, starts: ['fatal', 'all'] } });
    expect(passed).toBe(true);
    expect(samples).toMatchObject([
      { webhook: 'ci', name: 'a', outcome: 'passed', started: ['all', 'fatal'], failures: [] },
    ]);
  });

  it('fails on an automation that is listed and does not start, with the key that decided', () => {
    const { passed, samples } = report({ 'ci.samples/a': { body: { level: 'error' }, starts: ['all', 'fatal'] } });
    expect(passed).toBe(false);
    expect(samples[0]).toMatchObject({
      outcome: 'failed',
      failures: [{ automation: 'fatal', starts: false, path: 'level', expected: ['fatal'], actual: 'error' }],
    });
  });

  it('fails on an automation that starts and is not listed', () => {
    const { samples } = report({ 'ci.samples/a': { body: {}, starts: [] } });
    expect(samples[0]).toMatchObject({ outcome: 'failed', failures: [{ automation: 'all', starts: true }] });
  });

  it('without "starts" is only reported', () => {
    const { passed, samples } = report({ 'ci.samples/a': { body: [] } });
    expect(passed).toBe(true);
    expect(samples[0]).toMatchObject({ outcome: 'reported', expected: null, started: ['all'] });
    expect(samples[0]!.decisions).toMatchObject([{ automation: 'all' }, { automation: 'fatal', path: '' }]);
  });

  it('of a disabled webhook starts nothing, and says why', () => {
    const { samples } = report({ 'old.samples/a': { body: FATAL, starts: ['fatal'] } });
    expect(samples[0]!.failures[0]!.message).toBe(
      'The webhook old is disabled, so senders get 404 and nothing starts.',
    );
    expect(report({ 'old.samples/a': { body: FATAL, starts: [] } }).passed).toBe(true);
  });

  it('starts no disabled automation, and says why', () => {
    const more = { 'automations/all/automation.md': automation('{webhooks: [ci]}', 'enabled: false\n') };
    const { samples } = report({ 'ci.samples/a': { body: FATAL, starts: ['all', 'fatal'] } }, more);
    expect(samples[0]!.failures).toMatchObject([
      { automation: 'all', path: null, message: 'The automation all is disabled.' },
    ]);
  });

  it('counts only the triggers that listen to its webhook', () => {
    const two =
      '---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [ci], payload: {a: [1]}}}\n  - {provider: webhook, event: received, filter: {webhooks: [old]}}\n---\nDo.\n';
    const { samples } = report({ 'ci.samples/a': { body: {} } }, { 'automations/two/automation.md': two });
    expect(samples[0]!.started).toEqual(['all']);
  });

  it('says of an automation that does not listen that it does not', () => {
    const { samples } = report({ 'old.samples/a': { body: {}, starts: ['all'] } });
    expect(samples[0]!.failures[0]!.message).toBe('The automation all has no trigger for the webhook old.');
  });

  it('reports automations that select webhooks by UID as not evaluated', () => {
    const more = { 'automations/uid/automation.md': automation('{webhook_ids: [wh_01a2b3c4d5e6f7g8h9jkmnpqrs]}') };
    const { samples, unjudged, passed } = report({ 'ci.samples/a': { body: {}, starts: ['all', 'uid'] } }, more);
    expect([unjudged, passed]).toEqual([['uid'], false]);
    expect(samples[0]!.failures[0]!.message).toContain('list ci under "webhooks"');
  });
});

describe('a sample of a webhook that serves a provider', () => {
  const provider = (event: string) =>
    `---\ntriggers:\n  - {provider: github, event: ${event}, filter: {labels: [agent]}}\n---\nDo.\n`;
  const more = {
    'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nrepositories: [{owner: acme, name: payments}]\n',
    'webhooks/gh.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GH\nignoreActors: [acme-bot]\n',
    'automations/label/automation.md': provider('issue_labeled'),
  };
  const body = {
    action: 'labeled',
    label: { name: 'agent' },
    issue: { number: 1, labels: [{ name: 'agent' }] },
    repository: { full_name: 'acme/payments' },
    sender: { login: 'ann' },
  };
  const headers = { 'X-GitHub-Event': 'issues' };
  const started = (sample: object) => report({ 'gh.samples/a': sample }, more).samples[0]!.started;

  it('starts the provider triggers that match its headers and body', () => {
    expect(started({ headers, body })).toEqual(['label']);
    expect(started({ headers: { 'X-GitHub-Event': 'push' }, body })).toEqual([]);
    expect(started({ headers, body: { ...body, label: { name: 'bug' } } })).toEqual([]);
  });

  it('starts none for a repository that the factory does not list, or an account that the webhook ignores', () => {
    expect(started({ headers, body: { ...body, repository: { full_name: 'acme/other' } } })).toEqual([]);
    expect(started({ headers, body: { ...body, sender: { login: 'acme-bot' } } })).toEqual([]);
  });

  it('starts none for a webhook that does not serve the provider', () => {
    expect(report({ 'ci.samples/a': { headers, body } }, more).samples[0]!.started).toEqual(['all']);
  });
});

describe('a report', () => {
  it('fails if a file in a folder of samples could not be evaluated', () => {
    const ok = { body: {}, starts: ['all'] };
    for (const bad of [
      { 'ci.samples/b': '{' },
      { 'ci.samples/b': { body: 1, strats: [] } },
      { 'ci.samples/b': { body: 1, starts: ['al'] } },
      { 'ci.samples/deep/b': ok },
      { 'nope.samples/b': { body: 1 } },
    ]) {
      const { passed, samples } = report({ 'ci.samples/a': ok, ...bad });
      expect(passed, JSON.stringify(bad)).toBe(false);
      expect(samples.map(({ outcome }) => outcome).sort()).toEqual(['invalid', 'passed']);
    }
  });

  it('fails also on findings that the factory has switched off', () => {
    const off = { 'factory.yaml': 'schemaVersion: v1alpha1\nname: f\nlint: {sample/invalid-json: "off"}\n' };
    expect(report({ 'ci.samples/a': '{' }, off)).toMatchObject({ passed: false, samples: [{ outcome: 'invalid' }] });
  });

  it('evaluates a sample with a possible credential', () => {
    const body = { token: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' };
    expect(report({ 'ci.samples/a': { body, starts: ['all'] } })).toMatchObject({
      passed: true,
      diagnostics: [{ rule: 'file/exposed-secret' }],
    });
    const faulty = report({ 'ci.samples/a': { body, start: [] } });
    const sources = new Map([['webhooks/ci.samples/a.json', JSON.stringify({ body, start: [] })]]);
    expect(formatPretty({ ...faulty, sources })).not.toContain(body.token);
  });

  it('evaluates nothing of an invalid definition', () => {
    const { passed, samples, diagnostics } = report({ 'ci.samples/a': { body: {} } }, { 'webhooks/x.yaml': 'a: 1' });
    expect([passed, samples]).toEqual([false, []]);
    expect(diagnostics.map(({ severity }) => severity)).not.toContain('warning');
  });

  it('is about one webhook where one is asked for', () => {
    const { passed, samples } = report({ 'ci.samples/a': { body: {} }, 'old.samples/b': '{' }, {}, 'ci');
    expect([passed, samples.map(({ name }) => name)]).toEqual([true, ['a']]);
  });
});

describe('the formats of a report', () => {
  const mixed = () =>
    report({
      'ci.samples/1': { body: FATAL, starts: ['all', 'fatal'] },
      'ci.samples/2': { body: { level: 'x\u001b[2J' }, starts: ['fatal'], description: 'why\nnot' },
      'ci.samples/3': { body: {} },
      'ci.samples/4': '{',
    });

  it('pretty has a line for each sample, and the reasons of those that failed', () => {
    expect(formatPretty(mixed())).toBe(`ci
  ✓ 1: starts all, fatal
  ✗ 2: starts all (why\\nnot)
      all starts, but is not listed under "starts". The filter is empty and matches every payload.
      fatal is listed under "starts", but does not start: level is "x\\u001b[2J", expected "fatal"
  · 3: starts all
      fatal does not start: level is absent, expected "fatal"

webhooks/ci.samples/4.json:1:2 warning Not valid JSON: Expected a key in double quotes, or "}". [sample/invalid-json]
  hint: A sample is strict JSON: use double quotes, no comments, and no comma after the last entry.

1 warning in 1 file

4 samples: 1 passed, 1 failed, 1 invalid, 1 without "starts".
`);
  });

  it('pretty says that there is no sample', () => {
    expect(formatPretty(report({}))).toMatch(/^No samples found\. Add webhooks\/<name>\.samples\/<sample>\.json/);
  });

  it('json holds every decision', () => {
    const document = JSON.parse(SAMPLE_FORMATS.json(mixed()));
    expect(Object.keys(document)).toEqual(['passed', 'root', 'samples', 'unjudged', 'diagnostics']);
    expect(document.samples[1].decisions).toHaveLength(2);
    expect(document.diagnostics).toHaveLength(1);
  });

  it('junit has a case for each sample, and nothing that XML cannot hold', () => {
    const xml = formatJunit(mixed());
    expect(xml).toContain('<testsuites name="dockbell test" tests="4" failures="2" errors="0" time="0">');
    expect(xml).toContain('<testsuite name="ci" tests="4" failures="2" errors="0" skipped="1" time="0">');
    expect(xml).toContain('name="1" file="webhooks/ci.samples/1.json" time="0"/>');
    expect(xml).toContain(
      'fatal is listed under &quot;starts&quot;, but does not start: level is &quot;x\\u001b[2J&quot;',
    );
    expect(xml).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
