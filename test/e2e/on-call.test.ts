import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeDashboard } from '../helpers/dashboard.ts';
import { ON_CALL_QUESTIONS } from '../helpers/on-call-questions.ts';
import { createOnCallWorld, type OnCallWorld } from '../helpers/on-call-world.ts';

const questions = ON_CALL_QUESTIONS.map((question) => [question.question, question] as const);

let world: OnCallWorld;

beforeAll(async () => {
  world = await createOnCallWorld();
});
afterAll(() => world?.end());

function expectAll(text: string, patterns: readonly RegExp[]): void {
  for (const pattern of patterns) expect(text).toMatch(pattern);
}

/** All texts of a JSON value, one on each line. */
function listTexts(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(listTexts).join('\n');
}

describe('one command and one answer of the API', () => {
  it.each(questions)('%s', { tags: 'full' }, async (_, { ask, request, answer }) => {
    const { stdout, stderr } = await world.daemon.cli(...ask(world));
    expect(stderr).toBe('');
    expectAll(stdout, answer(world));
    const { status, body } = await world.daemon.api(request(world));
    expect(status).toBe(200);
    expectAll(request(world).endsWith('.json') ? JSON.stringify(body) : listTexts(body), answer(world));
  });
});

it('a name of a webhook and an automation is answered with the exact forms', { tags: 'full' }, async () => {
  const { code, stderr } = await world.daemon.cli('why', 'off');
  expect([code, stderr]).toEqual([
    2,
    "More than one object matches 'off'.\nUse one of:\n  dockbell why webhook:off  # webhook of pay\n  dockbell why automation:off  # automation of pay\n",
  ]);
});

it('a rejected request is found by the ID that its sender shows', { tags: 'full' }, async () => {
  const { stdout } = await world.daemon.cli('why', 'guid-rejected');
  expect(stdout).toContain(world.deliveries.rejected);
  expect(stdout).toContain('Rejected (auth). The sender uses an older version of the secret');
});

it('an unknown name is answered with similar names, and exit code 1', { tags: 'full' }, async () => {
  const { code, stderr } = await world.daemon.cli('why', 'typos');
  expect([code, stderr]).toEqual([
    1,
    "Nothing matches 'typos'.\nDid you mean:\n  dockbell why automation:typo  # automation of pay\n",
  ]);
});

describeDashboard('one page', ({ signIn }) => {
  it.each(questions)('%s', { tags: 'full' }, async (_, { address, tab, answer, shown = answer }) => {
    const path = address(world);
    const page = await signIn(world.daemon, path.startsWith('/') ? path : `/factories/pay/${path}`);
    if (tab !== undefined) await page.getByRole('tab', { name: tab }).click();
    for (const pattern of shown(world)) await expect.poll(() => page.locator('main').textContent()).toMatch(pattern);
  });
});
