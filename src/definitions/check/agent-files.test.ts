import { describe, expect, it } from 'vitest';
import { type EntryContent, validateFiles } from '../../../test/helpers/definition-tree.ts';
import { MAX_AGENT_BYTES, MAX_AGENT_FILES } from '../../domain/definitions/agent-files.ts';

function findingsOf(keys: string, files: { [path: string]: EntryContent }): string[] {
  const trigger = 'triggers:\n  - { provider: webhook, event: received, filter: { webhooks: [ci] } }';
  const { diagnostics } = validateFiles({
    'webhooks/ci.yaml': 'secretName: CI_SECRET\n',
    'automations/a/automation.md': `---\n${trigger}\n${keys}---\nDo it.\n`,
    ...files,
  });
  return diagnostics.map(({ severity, file, line, column, rule, message, hint }) =>
    [`${severity} ${file}:${line}:${column} ${rule}`, message, hint].join(' | '),
  );
}

describe('agent and runner', () => {
  it.each([
    ['a folder', 'agent: triage\nrunner: gpu\n', { 'agents/triage/agent.md': 'x', 'runners/gpu/runner.yaml': 'x' }],
    ['a file', 'agent: triage\nrunner: gpu.v2\n', { 'agents/triage.md': 'x', 'runners/gpu.v2.yaml': 'x' }],
    ['the foreman', 'agent: foreman\n', { 'agents/triage.md': 'x' }],
    ['no such folder in the tree', 'agent: triage\nrunner: gpu\n', { 'skills/a.md': 'x' }],
    ['a runner that is not a text', 'runner: { image: x }\n', { 'runners/gpu.yaml': 'x' }],
  ])('can name %s', (_what, keys, files) => expect(findingsOf(keys, files)).toEqual([]));

  it('are warnings if their folder exists without the name', () => {
    const files = { 'agents/triage/agent.md': 'x', 'runners/gpu.yaml': 'x' };
    expect(findingsOf('agent: traige\nrunner: elsewhere\n', files)).toEqual([
      'warning automations/a/automation.md:4:8 automation/unknown-agent | agents/ contains no agent named "traige". | Did you mean "triage"?',
      'warning automations/a/automation.md:5:9 automation/unknown-runner | runners/ contains no runner named "elsewhere". | Add the folder runners/elsewhere/, or remove the key.',
    ]);
  });
});

const LINK = { kind: 'symlink' } as const;

describe('files of agents', () => {
  it('are not checked as definitions', () => {
    const files = { 'skills/Notes.md': 'a', 'skills/notes.md': 'b', 'skills/x/webhook.yml': '\t:', 'agents/.git': 'x' };
    expect(findingsOf('', files)).toEqual([]);
  });

  it('are warnings if runs do not get them', () => {
    const findings = findingsOf('', {
      'agents/link': { kind: 'symlink' },
      'skills/large.bin': 'x'.repeat(262_145),
      [`skills/${'n'.repeat(256)}`]: 'x',
    });
    expect(findings.map((finding) => finding.split(' | ').slice(0, 2).join(' '))).toEqual([
      'warning agents/link:1:1 tree/omitted-file The entry is not a regular file. Runs do not get it.',
      expect.stringMatching(/skills\/large.bin:1:1 tree\/omitted-file The entry is larger than 256 KiB/),
      expect.stringMatching(/skills\/n+:1:1 tree\/omitted-file The entry has a name that is too long/),
    ]);
  });

  it('are listed up to 20 with the same reason, and the others are counted', () => {
    const links = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`skills/${100 + index}`, LINK]));
    expect(findingsOf('', links(20)).at(-1)).toContain('skills/119:1:1 tree/omitted-file | The entry is not a regular');
    expect(findingsOf('', links(20)).join()).not.toContain('more');
    expect(findingsOf('', links(21))).toHaveLength(20);
    expect(findingsOf('', links(21)).at(-1)).toContain(
      'Runs do not get it. 1 more entry is omitted for the same reason.',
    );
    expect(findingsOf('', links(50)).at(-1)).toContain('30 more entries are omitted for the same reason.');
  });

  it('are omitted from the first one on that exceeds the limits', () => {
    const many = Object.fromEntries(
      Array.from({ length: MAX_AGENT_FILES + 2 }, (_, index) => [`skills/${1e6 + index}`, 'x']),
    );
    expect(findingsOf('', many)).toEqual([expect.stringContaining(`warning skills/${1e6 + MAX_AGENT_FILES}:1:1`)]);
    const size = 262_144;
    const large = Object.fromEntries(
      Array.from({ length: MAX_AGENT_BYTES / size + 1 }, (_, index) => [`skills/${100 + index}`, 'x'.repeat(size)]),
    );
    expect(findingsOf('', large)).toEqual([expect.stringContaining('warning skills/116:1:1 tree/omitted-file')]);
  });
});
