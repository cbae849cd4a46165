import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { RawConnection } from '../helpers/raw-connection.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

/** When the last byte of a request is sent after the rest, and the reset after it, in milliseconds. */
const TIMINGS = [
  { name: 'in one piece', lastByteMs: 0 },
  { name: 'with the last byte 100 ms after the rest', lastByteMs: 100 },
];

/** Requests are sent until this number was taken. */
const TAKEN = 3;
const MOST_SENT = 60;

/** Sends a whole request and resets the connection 0, 1 or 2 ms after the last byte. */
async function sendAndReset(url: string, head: string[], body: string, lastByteMs: number, resetMs: number) {
  const { port, host } = new URL(url);
  const connection = await RawConnection.open(Number(port));
  const lines = [head[0], `Host: ${host}`, ...head.slice(1), `Content-Length: ${body.length}`];
  const bytes = `${lines.join('\r\n')}\r\n\r\n${body}`;
  if (lastByteMs > 0) {
    connection.send(bytes.slice(0, -1));
    await pause(lastByteMs);
  }
  await new Promise<void>((resolve) => {
    connection.socket.write(lastByteMs > 0 ? bytes.slice(-1) : bytes, () => resolve());
  });
  if (resetMs > 0) await pause(resetMs);
  connection.socket.resetAndDestroy();
}

describe('requests whose connection is reset after the last byte', () => {
  let daemon: TestDaemon;
  let uid: string;

  beforeAll(async () => {
    daemon = await startDaemonHere({ config: configureCiFactory(await createCiRepository(), ['/bin/true']) });
    uid = await applyCiFactory(daemon);
  });

  const send = (method: string, path: string, body: object | null, lastByteMs: number, attempt: number, key?: string) =>
    sendAndReset(
      daemon.adminUrl,
      [
        `${method} /api/v1${path} HTTP/1.1`,
        `Authorization: Bearer ${readFileSync(join(daemon.dataDir, 'admin-token'), 'utf8').trim()}`,
        ...(body === null ? [] : ['Content-Type: application/json']),
        ...(key === undefined ? [] : [`Idempotency-Key: ${key}`]),
      ],
      body === null ? '' : JSON.stringify(body),
      lastByteMs,
      attempt % 3,
    );

  const listSecrets = async (prefix: string) => {
    const { body } = await daemon.api('/secrets?limit=200');
    return (body.data as { name: string }[]).map(({ name }) => name).filter((name) => name.startsWith(prefix));
  };

  /** The names of secrets whose change is in the audit log, with the address of the client. */
  const listAudited = async (prefix: string, method: string) => {
    const { body } = await daemon.api('/audit?object=secrets&outcome=done&limit=200');
    const entries = (body.data as { object: string; method: string; client_address: string }[]).filter(
      (entry) => entry.object.startsWith(`secrets/${prefix}`) && entry.method === method,
    );
    for (const entry of entries) expect(entry.client_address).toBe('127.0.0.1');
    return entries.map(({ object }) => object.slice('secrets/'.length));
  };

  /** What only one of the lists has. A request can be in progress after its reset, so both are read again. */
  const differ = (one: string[], other: string[]) => [
    ...one.filter((name, index) => !other.includes(name) || one.indexOf(name) !== index),
    ...other.filter((name) => !one.includes(name)),
  ];

  describe.each(TIMINGS)('$name', ({ lastByteMs }) => {
    it('has one audit entry for each secret that was stored', { tags: 'full' }, async () => {
      const prefix = `PUT_${lastByteMs}_`;
      for (let sent = 0; (await listSecrets(prefix)).length < TAKEN; sent++) {
        expect(sent).toBeLessThan(MOST_SENT);
        await send('PUT', `/secrets/${prefix}${sent}`, { value: 'a-value-of-more-than-16' }, lastByteMs, sent);
      }
      await expect.poll(async () => differ(await listAudited(prefix, 'PUT'), await listSecrets(prefix))).toEqual([]);
    });

    it('has one audit entry for each secret that was deleted', { tags: 'full' }, async () => {
      const prefix = `DEL_${lastByteMs}_`;
      const made: string[] = [];
      const listDeleted = async () => {
        const left = await listSecrets(prefix);
        return made.filter((name) => !left.includes(name));
      };
      while ((await listDeleted()).length < TAKEN) {
        const name = `${prefix}${made.length}`;
        expect(made.length).toBeLessThan(MOST_SENT);
        await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value: 'a-value-of-more-than-16' } });
        made.push(name);
        await send('DELETE', `/secrets/${name}?force=true`, null, lastByteMs, made.length);
      }
      await expect.poll(async () => differ(await listAudited(prefix, 'DELETE'), await listDeleted())).toEqual([]);
    });

    it('has one audit entry for each token, also if the request is repeated with its key', {
      tags: 'full',
    }, async () => {
      const name = `reset-${lastByteMs}`;
      const body = { name, role: 'viewer' };
      const made = new Set<string>();
      for (let sent = 0; made.size < TAKEN; sent++) {
        const key = randomUUID();
        await send('POST', '/tokens', body, lastByteMs, sent, key);
        const repeated = await eventually(async () => {
          const answer = await repeatWithKey(daemon, body, key);
          return answer.status === 409 ? null : answer;
        });
        expect(repeated.status).toBe(201);
        made.add(repeated.id);
      }
      const { body: tokens } = await daemon.api('/tokens?limit=200');
      const listed = (tokens.data as { id: string; name: string }[]).filter((token) => token.name === name);
      expect(listed.map(({ id }) => id).sort()).toEqual([...made].sort());
      const { body: audit } = await daemon.api('/audit?object=tokens&limit=200');
      const entries = (audit.data as { object: string; client_address: string; changes: { name: string } }[]).filter(
        ({ changes }) => changes?.name === name,
      );
      expect(entries.map(({ object }) => object).sort()).toEqual([...made].map((id) => `tokens/${id}`).sort());
      for (const entry of entries) expect(entry.client_address).toBe('127.0.0.1');
    });
  });

  it('logs deliveries with the address of their sender', { tags: 'full' }, async () => {
    const path = `/webhooks/w/${uid}`;
    const list = async () =>
      (await daemon.api('/factories/payments/deliveries?limit=200')).body.data as { client_address: string }[];
    for (let sent = 0; (await list()).length < 20; sent++) {
      expect(sent).toBeLessThan(300);
      await sendAndReset(
        daemon.ingressUrl,
        [
          `POST ${path} HTTP/1.1`,
          'Authorization: Bearer a-wrong-token-of-16-characters',
          'Content-Type: application/json',
        ],
        JSON.stringify({ sent }),
        sent % 4 === 0 ? 100 : 0,
        sent % 3,
      );
    }
    expect(new Set((await list()).map((delivery) => delivery.client_address))).toEqual(new Set(['127.0.0.1']));
  });
});

async function repeatWithKey({ adminUrl, dataDir }: TestDaemon, body: object, key: string) {
  const answer = await fetch(`${adminUrl}/api/v1/tokens`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${readFileSync(join(dataDir, 'admin-token'), 'utf8').trim()}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, id: ((await answer.json()) as { id: string }).id };
}
