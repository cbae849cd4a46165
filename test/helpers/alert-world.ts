import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { RECEIVER_SECRET, type RunReceiver, startRunReceiver } from './run-receiver.ts';
import { createTempGitRepo } from './temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from './test-daemon.ts';

const FAST = { interval: '1s', groupWait: '0s', resolveAfter: '0s', repeatInterval: '1h' };
/** The tests open and end alerts by creating and revoking tokens. */
const RULES = { applyFailed: 'off', disk: 'off' };

/** A daemon whose only target of alerts is a receiver that verifies signatures. */
export interface AlertWorld {
  daemon: TestDaemon;
  receiver: RunReceiver;
  /** The target. `more` overrides the defaults. */
  ops(more?: object): object;
  /** Applies another configuration of alerts. */
  setAlerts(alerts: object): Promise<void>;
  /** Creates a token that expires soon, which opens an alert. Returns its ID. */
  createToken(name: string): Promise<string>;
  /** Revokes it, which ends the alert. */
  revoke(id: string): Promise<unknown>;
  /** What the receiver got about the token. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into the body
  eventsOf(name: string): any[];
  /** Kills the daemon, and starts another one with its data. */
  killAndStart(): Promise<void>;
  close(): Promise<void>;
}

/** @param options variables of the daemon, and team secrets */
export async function startAlertWorld(options: {
  env?: Record<string, string>;
  secrets?: Record<string, string>;
}): Promise<AlertWorld> {
  const { env = {}, secrets = {} } = options;
  const [repo, receiver] = await Promise.all([createTempGitRepo(), startRunReceiver()]);
  await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' });
  const ops = (more: object = {}) => {
    const target = { name: 'ops', type: 'webhook', url: receiver.url, secretName: 'ALERTS' };
    return Object.assign(target, { allowPrivateAddresses: true }, more);
  };
  const daemon = await startTestDaemon({
    config: {
      admin: { port: 0, url: 'https://dockbell.example.com' },
      alerts: { ...FAST, rules: RULES, targets: [ops()] },
      factories: [{ name: 'payments', source: { type: 'repository', url: repo.path } }],
    },
    env,
  });
  const all = { ALERTS: RECEIVER_SECRET, CI_SECRET: 'x'.repeat(20), ...secrets };
  for (const [name, value] of Object.entries(all))
    await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value, factories: ['payments'] } });
  const readConfig = () => parse(readFileSync(join(daemon.dataDir, 'dockbell.yaml'), 'utf8'));
  const world: AlertWorld = {
    daemon,
    receiver,
    ops,
    setAlerts: async (alerts) => {
      const config = readConfig();
      config.alerts = { ...FAST, rules: RULES, targets: [ops()], ...alerts };
      writeFileSync(join(daemon.dataDir, 'dockbell.yaml'), stringify(config));
      expect(await world.daemon.cli('reload')).toMatchObject({ code: 0 });
    },
    createToken: async (name) =>
      JSON.parse((await world.daemon.cli('token', 'create', name, '--expires', '2h', '--json')).stdout).id,
    revoke: (id) => world.daemon.cli('token', 'revoke', id, '--yes'),
    eventsOf: (name) =>
      receiver.taken.flatMap(({ body }) =>
        body.data.alerts.filter(({ object }: { object: { name: string } | null }) => object?.name === name),
      ),
    killAndStart: async () => {
      await world.daemon.end('SIGKILL');
      world.daemon = await startTestDaemon({ dataDir: daemon.dataDir, config: readConfig(), env });
    },
    close: async () => {
      await world.daemon.end('SIGKILL');
      repo.remove();
      await receiver.close();
    },
  };
  return world;
}
