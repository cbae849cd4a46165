import { expect, it } from 'vitest';
import { createTempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere } from '../helpers/test-daemon.ts';

const declare = (event: string) => `---\ntriggers:\n  - provider: github\n    event: ${event}\n---\nDo it.\n`;

it('a factory whose automations no webhook serves is no healthy one, until a webhook serves one of them', {
  tags: 'full',
}, async () => {
  const repo = await createTempGitRepo();
  await repo.commit({
    'automations/a/automation.md': declare('issue_created'),
    'automations/b/automation.md': declare('pull_request_merged'),
  });
  const runs = { executor: { type: 'command', command: ['true'] } };
  const factories = [{ name: 'h', source: { type: 'repository', url: repo.path }, runs }];
  const daemon = await startDaemonHere({ config: { factories } });
  await daemon.cli('reconcile', '--factory', 'h', '--wait');
  const before = (await daemon.cli('status')).stdout;
  expect(before).toMatch(/^! h$/m);
  expect(before).toContain('none of its 2 automations can start');
  const { body } = await daemon.api('/factories/h');
  expect(body.conditions).toContainEqual(
    expect.objectContaining({ type: 'NothingStarts', reason: 'NotServed', severity: 'warning' }),
  );
  await daemon.cli('secret', 'create', 'GH', '--value', 'x'.repeat(40), '--all-factories');
  await repo.commit({ 'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GH\n' });
  await daemon.cli('reconcile', '--factory', 'h', '--wait');
  const after = (await daemon.cli('status')).stdout;
  expect(after).toMatch(/^✓ h$/m);
  expect(after).not.toContain('can start');
  expect(await daemon.end('SIGTERM')).toBe(0);
  repo.remove();
});
