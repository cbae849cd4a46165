import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { createTempGitRepo, type TempGitRepo } from './temp-git-repo.ts';
import type { TestDaemon, TestDaemonOptions } from './test-daemon.ts';

/** The secret of the webhook. */
export const CI_TOKEN = 'a-token-of-more-than-16-characters';

/** Automations that start for a payload with `"start": true`, and for no other. */
export const CI_AUTOMATIONS = ['first', 'second'];

/** A factory with one webhook `ci` and two automations, in a separate repository. */
export async function createCiRepository(): Promise<TempGitRepo> {
  const repo = await createTempGitRepo();
  await repo.commit(declareCiFactory('the first commit'));
  return repo;
}

export function declareCiFactory(prompt: string): Record<string, string> {
  const automation = `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [ci], payload: { start: [true] } }
---
${prompt}
`;
  const files: Record<string, string> = { 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' };
  for (const name of CI_AUTOMATIONS) files[`automations/${name}/automation.md`] = automation;
  return files;
}

/** A configuration that serves it. Its webhook accepts more deliveries than a test can send. */
export function configureCiFactory(repo: TempGitRepo, command: readonly string[]): TestDaemonOptions['config'] {
  return {
    limits: { deliveriesPerMinute: 100_000 },
    factories: [
      {
        name: 'payments',
        source: { type: 'repository', url: repo.path },
        runs: { executor: { type: 'command', command }, concurrency: 4 },
      },
    ],
  };
}

/** Stores the secret of the webhook and waits until the webhook is live. Returns its UID. */
export async function applyCiFactory(daemon: TestDaemon): Promise<string> {
  const put = await daemon.api('/secrets/CI_SECRET', {
    method: 'PUT',
    body: { value: CI_TOKEN, factories: ['payments'] },
  });
  expect(put.status).toBeLessThan(300);
  return eventually(async () => {
    const { body } = await daemon.api('/factories/payments/webhooks');
    return body.data?.[0]?.uid as string | undefined;
  });
}

/** Waits until no run is queued or running and this commit is live. */
export async function settleCiFactory(daemon: TestDaemon, revision: string): Promise<void> {
  const isSettled = async () => {
    for (const state of ['queued', 'running']) {
      const { body } = await daemon.api(`/factories/payments/runs?state=${state}&limit=1`);
      if (body.data.length > 0) return false;
    }
    return (await daemon.api('/factories/payments')).body.applied_revision === revision;
  };
  await eventually(isSettled, 60_000);
}
