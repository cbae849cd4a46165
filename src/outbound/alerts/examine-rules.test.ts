import { expect, it } from 'vitest';
import { ALERT_RULE_NAMES, type AlertRule, type RuleSettings } from '../../domain/messages/alert-rules.ts';
import { examineRules } from './examine-rules.ts';
import type { RuleSources } from './rules/finding.ts';

const off = Object.fromEntries(ALERT_RULE_NAMES.map((rule) => [rule, false])) as unknown as RuleSettings;
const failure = {
  target: 'github',
  what: 'the status could not be posted',
  problem: 'it responded with 500',
  since: 0,
};

it('finds the alerts of the other factories if one factory cannot be read', async () => {
  const failed: [AlertRule, unknown][] = [];
  const sources = {
    nowMs: () => 3_600_000,
    isActive: () => false,
    notifyFailures: (factory: string) => {
      if (factory === 'broken') throw new Error('unreadable');
      return [failure];
    },
  } as unknown as RuleSources;
  const examinations = await examineRules(sources, {
    settings: { ...off, notifyFailing: 1 },
    factories: ['a', 'broken', 'z'],
    changed: new Set(),
    onFailure: (rule, error) => failed.push([rule, error]),
  });
  const found = examinations.filter(({ rule }) => rule === 'notifyFailing');
  expect(found.map(({ factory, findings }) => [factory, findings.length])).toEqual([
    ['a', 1],
    ['z', 1],
  ]);
  expect(failed).toEqual([['notifyFailing', new Error('unreadable')]]);
});

it('finds the same webhooks at each evaluation if there are more than the limit, in any order', async () => {
  const webhooks = Array.from({ length: 250 }, (_, number) => ({
    factory: 'a',
    name: `w${1000 + number}`,
    uid: `wh_${number}`,
    expectEvery: '1h',
    lastAcceptedAt: null,
    updatedAt: 0,
  }));
  const examine = async (expected: typeof webhooks) => {
    const sources = { nowMs: () => 7_200_000, reader: { expectedWebhooks: async () => expected } };
    const [examined] = await examineRules(sources as unknown as RuleSources, {
      settings: { ...off, silent: true },
      factories: ['a'],
      changed: new Set(),
      onFailure: (_rule, error) => expect.fail(String(error)),
    }).then((all) => all.filter(({ rule }) => rule === 'silent'));
    return examined!.findings.map(({ object }) => object);
  };
  const found = await examine(webhooks);
  expect(found).toHaveLength(200);
  expect(await examine(webhooks.toReversed())).toEqual(found);
});
