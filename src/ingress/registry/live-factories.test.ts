import fc from 'fast-check';
import { expect, test } from 'vitest';
import { declareWebhook } from '../../../test/helpers/declare-webhook.ts';
import { onPayload, received } from '../../../test/helpers/payload-filter.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { ListeningAutomation, ServedChange } from '../../domain/ports/definitions.ts';
import type { WebhookName } from '../../domain/ports/inventory.ts';
import { LiveFactories } from './live-factories.ts';
import { Registry } from './registry.ts';

const UIDS: WebhookUid[] = ['wh_a', 'wh_b'];
const LEVELS = ['error', 'fatal'];
const NAMES = ['one', 'two', 'three', 'four'];

const webhooks = UIDS.map((uid, index) => ({
  webhook: {
    ref: index + 1,
    uid,
    factory: 'f',
    name: uid.slice(3),
    file: '',
    ...declareWebhook(),
    secretVersion: 1,
    previousSecretVersion: null,
    secretPinnedAt: 0,
    verifyTokenSecretVersion: null,
    revision: null,
    createdAt: 0,
    updatedAt: 0,
    deletedAt: null,
  },
  secret: null,
  previousSecret: null,
  verifyToken: null,
}));

/** What a change does to each automation: nothing, deletes it, or replaces it. */
const change = fc.uniqueArray(
  fc.record({
    name: fc.constantFrom(...NAMES),
    enabled: fc.boolean(),
    listens: fc.subarray(UIDS),
    level: fc.constantFrom(...LEVELS),
    isDeleted: fc.boolean(),
  }),
  { selector: ({ name }) => name, maxLength: 4 },
);

function serve(live: LiveFactories, automations: ListeningAutomation[], served: Partial<ServedChange>): void {
  const { isWhole = false, applyNumber = null } = served;
  live.stage({ factory: 'f', automations, isFirst: true, isWhole });
  const change = {
    factory: 'f',
    revision: `c${applyNumber}`,
    webhooks: [],
    deletedWebhooks: [],
    deletedAutomations: [],
  };
  const numbers = {
    applyNumber: applyNumber!,
    webhooks: [],
    automations: automations.map(({ name }) => NAMES.indexOf(name) + 10),
  };
  live.goLive({ ...change, applyNumber: null, isWhole, isStaged: true, ...served }, numbers);
}

test('what was staged for a change that was not written takes no effect with the next change', () => {
  const registry = new Registry();
  const live = new LiveFactories(registry, () => null);
  const listen = (level: string): ListeningAutomation => {
    return { name: 'one', version: null, enabled: true, filters: [['wh_a', [onPayload({ level: [level] })]]] };
  };
  serve(live, [listen('error')], { isWhole: true, applyNumber: 1, webhooks });
  live.stage({ factory: 'f', automations: [listen('fatal')], isFirst: true, isWhole: false });
  const nothing = { webhooks: [], deletedWebhooks: [], deletedAutomations: [] };
  live.goLive({ factory: 'f', revision: 'c2', applyNumber: 2, isWhole: false, isStaged: false, ...nothing });
  const { listeners } = registry.current().webhooks.get('wh_a')!;
  expect(listeners.match(received({ level: 'error' }))).toEqual([{ automation: 'one', version: 10 }]);
  expect(listeners.match(received({ level: 'fatal' }))).toEqual([]);
});

test('a request to a webhook that is not served finds the reason', () => {
  const registry = new Registry();
  const live = new LiveFactories(registry, () => null);
  const stored = (name: string, more: object) =>
    ({ ref: 7, uid: `wh_${name}`, factory: 'f', name, ...more }) as WebhookName;
  const names = [
    stored('off', { enabled: false, deletedAt: null }),
    stored('gone', { enabled: true, deletedAt: 1 }),
    { ...stored('removed', { enabled: true, deletedAt: null }), factory: 'removed' },
  ];
  registry.known.load(names, (factory) => factory === 'f');
  const find = (uid: string) => registry.known.find(uid)?.unserved;
  expect(['wh_off', 'wh_gone', 'wh_removed', 'wh_unknown'].map(find)).toEqual([
    'disabled',
    'deleted',
    'not_configured',
    undefined,
  ]);
  serve(live, [], { isWhole: true, applyNumber: 1, webhooks });
  expect(find('wh_a')).toBe(null);
  const nothing = { webhooks: [], deletedAutomations: [], applyNumber: 2, isWhole: false, isStaged: false };
  live.goLive({ ...nothing, factory: 'f', revision: 'c2', deletedWebhooks: ['wh_a'] });
  expect(find('wh_a')).toBe('deleted');
  const [a] = webhooks;
  const disabled = { ...a!, webhook: { ...a!.webhook, enabled: false } };
  live.goLive({ ...nothing, factory: 'f', revision: 'c3', webhooks: [disabled], deletedWebhooks: [] });
  expect(find('wh_a')).toBe('disabled');
});

test('changes in place give the listeners of the whole definition, with the number of their apply', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
      const [registry, wholeRegistry] = [new Registry(), new Registry()];
      const live = new LiveFactories(registry, () => null);
      serve(live, [], { isWhole: true, applyNumber: 0, webhooks });
      const held = registry.current().webhooks.get('wh_a')!;
      const automations = new Map<string, ListeningAutomation>();
      changes.forEach((edits, index) => {
        const staged: ListeningAutomation[] = [];
        const deletedAutomations = edits.filter(({ isDeleted }) => isDeleted).map(({ name }) => name);
        for (const { name, enabled, listens, level, isDeleted } of edits) {
          automations.delete(name);
          if (isDeleted) continue;
          const filters = listens.map((uid): ListeningAutomation['filters'][number] => [
            uid,
            [onPayload({ level: [level] })],
          ]);
          const automation = { name, version: null, enabled, filters };
          automations.set(name, automation);
          staged.push(automation);
        }
        const applyNumber = index + 1;
        serve(live, staged, { deletedAutomations, applyNumber });
        const whole = new LiveFactories(wholeRegistry, () => null);
        serve(whole, [...automations.values()], { isWhole: true, applyNumber, webhooks });
        for (const uid of UIDS) {
          const [changed, expected] = [registry, wholeRegistry].map((one) => one.current().webhooks.get(uid)!);
          for (const level of LEVELS) {
            expect(changed!.listeners.match(received({ level }))).toEqual(
              expected!.listeners.match(received({ level })),
            );
          }
          expect(changed!.listeners.size).toBe(expected!.listeners.size);
          expect(changed!.listeners.apply).toEqual({ number: applyNumber, revision: `c${applyNumber}` });
        }
        // A request that began before the change matches with the listeners and the number of the change.
        expect(held.listeners).toBe(registry.current().webhooks.get('wh_a')!.listeners);
      });
    }),
    { numRuns: 300 },
  );
});
