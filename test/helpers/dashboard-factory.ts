import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createTempDir } from './temp-dir.ts';
import { startDaemonHere, type TestDaemon, type TestDaemonOptions } from './test-daemon.ts';

/** A daemon with a live factory, for tests in a browser. */
export interface DashboardFactory {
  daemon: TestDaemon;
  /** UID of the webhook `ci`. */
  uid: string;
  /** Posts a delivery to it. Returns status and body. */
  send(body: string, headers?: Record<string, string>): Promise<{ status: number; body: { delivery_id?: string } }>;
  /** Changes the automation `build`. */
  changeAutomation(change: object): Promise<void>;
  /** Sends the signal that runs wait for. */
  signal(name: string): void;
}

/**
 * Starts the daemon. Its automation `build` starts on `"start": true` and executes `shell`, in which `wait NAME` waits for
 * a signal.
 *
 * @param more keys of the configuration
 */
export async function startDashboardFactory(
  shell: string,
  more: TestDaemonOptions['config'] = {},
): Promise<DashboardFactory> {
  const signals = createTempDir('signals');
  const script = `wait() { while [ ! -e ${signals}/$1 ]; do sleep 0.1; done; }\n${shell}`;
  const executor = { type: 'command', command: ['/bin/sh', '-c', script] };
  const daemon = await startDaemonHere({
    config: {
      limits: { deliveriesPerMinute: 100_000, failedAuthPerMinute: 10_000 },
      factories: [{ name: 'payments', source: { type: 'live' }, runs: { executor } }],
      ...more,
    },
  });
  const { uid, ingress_url: url, secret } = await createWebhook(daemon, 'ci');
  const trigger = { provider: 'webhook', event: 'received', filter: { webhooks: ['ci'], payload: { start: [true] } } };
  const body = { name: 'build', triggers: [trigger], prompt: 'Build it.' };
  expect((await daemon.api('/factories/payments/automations', { method: 'POST', body })).status).toBe(201);
  return {
    daemon,
    uid,
    send: (text, headers = {}) => post(url, { authorization: `Bearer ${secret}`, ...headers }, text),
    changeAutomation: async (change) => {
      const { name, ...declared } = body;
      const changed = { ...declared, ...change };
      const answer = await daemon.api(`/factories/payments/automations/${name}`, { method: 'PUT', body: changed });
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    },
    signal: (name) => writeFileSync(join(signals, name), ''),
  };
}

interface NewWebhook {
  uid: string;
  ingress_url: string;
  secret: string;
}

/** Adds a webhook with a separate token. */
export async function createWebhook(daemon: TestDaemon, name: string): Promise<NewWebhook> {
  const { status, body } = await daemon.api('/factories/payments/webhooks', { method: 'POST', body: { name } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body;
}

async function post(url: string, headers: Record<string, string>, body: string) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json().catch(() => ({}))) as { delivery_id?: string } };
}
