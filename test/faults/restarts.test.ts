import { Agent } from 'node:http';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { applyCiFactory, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { superviseDaemon } from '../helpers/socket-supervisor.ts';
import { SteadySender } from '../helpers/steady-sender.ts';

const RESTARTS = 3;

it('three restarts under load fail no delivery, and store each one once', async () => {
  const repo = await createCiRepository();
  const sockets = ['127.0.0.1', '::1'].map((host) => ({ name: 'ingress', host }));
  const daemon = await superviseDaemon(sockets, { config: configureCiFactory(repo, ['true']) });
  const path = `/webhooks/w/${await applyCiFactory(daemon)}`;
  const urls = [daemon.ingressUrl, `http://[::1]:${daemon.ports[1]}`].map((url) => url + path);
  const senders = [
    ...urls.map((url, index) => new SteadySender({ url, name: `sender${index}`, intervalMs: 5 })),
    new SteadySender({ url: urls[0]!, name: 'reusing', intervalMs: 5, agent: new Agent({ keepAlive: true }) }),
  ];
  const sendMore = () => {
    const before = senders.map(({ accepted }) => accepted);
    return eventually(() => senders.every(({ accepted }, index) => accepted > before[index]! + 100), 60_000);
  };
  await sendMore();
  for (let restart = 0; restart < RESTARTS; restart++) {
    await daemon.restart();
    await sendMore();
  }
  const outcomes = await Promise.all(senders.map((sender) => sender.end()));
  expect(outcomes.flatMap(({ failed }) => failed)).toEqual([]);
  expect(await daemon.stop()).toBe(0);
  const accepted = outcomes.flatMap(({ accepted }) => accepted);
  const stored = readDeliveryIds(join(daemon.dataDir, 'dockbell.db'));
  expect(stored).toEqual([...new Set(stored)]);
  expect(accepted.filter((id) => !stored.includes(id))).toEqual([]);
  repo.remove();
});

function readDeliveryIds(file: string): string[] {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare('SELECT identity FROM deliveries').all() as { identity: string }[];
  database.close();
  return rows.map(({ identity }) => identity);
}
