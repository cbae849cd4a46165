import { readFileSync } from 'node:fs';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/helpers/eventually.ts';
import {
  createSeededServer,
  createSeededServices,
  DELIVERY_ID,
  RUN_ID,
} from '../../../test/helpers/seeded-services.ts';
import type { AuditEntry } from '../../domain/access/audit.ts';
import type { Principal } from '../auth/authenticator.ts';
import { describeAction } from '../openapi/operations.ts';
import { auditReads } from './audit-reads.ts';

const OPENAPI = JSON.parse(readFileSync(new URL('../../../schemas/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, { get?: { responses: Record<string, { content?: object }> } }>;
};
const PAYLOAD = `/deliveries/${DELIVERY_ID}/payload`;
const LOG = `/runs/${RUN_ID}/log`;

function open() {
  const services = createSeededServices();
  const app = createSeededServer(services);
  const owner = services.grant('owner');
  const get = (path: string, token = owner, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({
      method,
      url: `/api/v1${path}`,
      remoteAddress: '192.0.2.7',
      headers: { authorization: `Bearer ${token}` },
    });
  const read = async (query = 'include=reads') => (await get(`/audit?${query}`)).json().data;
  return { services, app, get, read };
}

describe('reads in the audit log', () => {
  it('are one entry per reader, object and day', async () => {
    const { services, get, read } = open();
    const limited = services.grant('viewer', ['payments']);
    for (const token of [limited, limited]) expect((await get(PAYLOAD, token)).statusCode).toBe(200);
    await get(`${LOG}?offset=0&limit=4`, limited);
    await get(`${LOG}?offset=4`, limited);
    await get(PAYLOAD);
    const entries = await read();
    expect(
      entries.map(({ action, actor }: { action: string; actor: { name: string } }) => [action, actor.name]),
    ).toEqual([
      ['Read payload', 'owner'],
      ['Read log of run', 'viewer'],
      ['Read payload', 'viewer'],
    ]);
    expect(entries[2]).toMatchObject({
      id: expect.stringMatching(/^aud_[0-9a-hjkmnp-tv-z]{26}$/),
      actor: { kind: 'token' },
      method: 'READ',
      route: '/api/v1/deliveries/:id/payload',
      object: `deliveries/${DELIVERY_ID}/payload`,
      changes: null,
      outcome: 'done',
      client_address: '192.0.2.7',
    });
    services.clock.advance(86_400_000);
    await get(PAYLOAD, limited);
    expect(await read(`include=reads&object=deliveries/${DELIVERY_ID}&actor=${entries[2].actor.id}`)).toHaveLength(2);
  });

  it('are one entry after a restart, too', async () => {
    const { services, get, read } = open();
    const token = services.grant('viewer');
    await get(PAYLOAD, token);
    const restarted = createSeededServer(services);
    const headers = { authorization: `Bearer ${token}` };
    expect((await restarted.inject({ url: `/api/v1${PAYLOAD}`, headers })).statusCode).toBe(200);
    expect(await read()).toHaveLength(1);
  });

  it('are listed only if they are requested', async () => {
    const { get, read } = open();
    await get(PAYLOAD);
    const methods = async (query: string) => (await read(query)).map(({ method }: { method: string }) => method);
    expect(await methods('')).not.toContain('READ');
    expect(await methods('include=changes')).not.toContain('READ');
    expect(await methods('include=all')).toEqual(['READ', ...(await methods(''))]);
    expect((await get('/audit?include=nothing')).statusCode).toBe(400);
  });

  it('leave no entry if they return no content', async () => {
    const { services, get, read } = open();
    expect((await get(PAYLOAD, 'dbk_wrong')).statusCode).toBe(401);
    expect((await get(PAYLOAD, services.grant('viewer', ['payments-2']))).statusCode).toBe(404);
    expect((await get('/deliveries/dlv_missing/payload')).statusCode).toBe(404);
    await get(PAYLOAD, undefined, 'HEAD');
    await get(`/deliveries/${DELIVERY_ID}`);
    expect(await read()).toEqual([]);
  });

  it('go on if the entry cannot be stored, and the next read stores it', async () => {
    const { services, get, read } = open();
    const { append } = services.auditLog;
    services.auditLog.append = async () => Promise.reject(new Error('database is locked'));
    expect((await get(PAYLOAD)).statusCode).toBe(200);
    await eventually(() => services.seen.logLines.join().includes('read not audited'));
    services.auditLog.append = append;
    await get(PAYLOAD);
    expect(await read()).toHaveLength(1);
  });

  it('do not wait for the entry', async () => {
    const { services, get } = open();
    services.auditLog.append = () => new Promise(() => {});
    expect((await get(PAYLOAD)).statusCode).toBe(200);
  });

  it('are at most 1,000 entries per reader and day', async () => {
    const { services } = open();
    const stored: AuditEntry[] = [];
    const append = async (entry: AuditEntry) => void stored.push(entry);
    const app = Fastify();
    app.decorateRequest('signIn', null);
    app.addHook('onRequest', async (request) => {
      const { reader } = request.query as { reader: string };
      request.principal = { kind: 'token', id: reader, name: reader, hold: null } as unknown as Principal;
    });
    auditReads(app, { auditLog: { append }, clock: services.clock });
    app.get('/logs/:id', { config: { discloses: true, access: { role: 'public' } } }, async () => 'text');
    for (let id = 0; id < 1_010; id++) expect((await app.inject(`/logs/${id}?reader=tok_1`)).statusCode).toBe(200);
    expect(stored).toHaveLength(1_000);
    await app.inject('/logs/1009?reader=tok_2');
    services.clock.advance(86_400_000);
    await app.inject('/logs/1009?reader=tok_1');
    expect(stored.slice(1_000).map(({ actor }) => actor!.id)).toEqual(['tok_2', 'tok_1']);
  });

  it('have an action for every route that returns content', async () => {
    const { app } = open();
    await app.ready();
    const routes = app.accessTable.filter(
      ({ method, url }) => method === 'GET' && /\/(payload|event-payload\.json|log|artifacts\/:number)$/.test(url),
    );
    expect(routes).toHaveLength(4);
    for (const { url } of routes) expect(describeAction('READ', url)).toMatch(/^Read /);
    for (const { url, discloses } of routes) expect([url, discloses]).toEqual([url, true]);
  });

  it('are noted by every documented route whose answer is the content of a sender or a run', async () => {
    const { app } = open();
    await app.ready();
    const others = ['application/json', 'application/schema+json', 'text/event-stream'];
    const documented = Object.entries(OPENAPI.paths).flatMap(([path, { get }]) => {
      const types = Object.keys(get?.responses['200']?.content ?? {});
      const isContent = path.startsWith('/api/v1/') && types.some((type) => !others.includes(type));
      return isContent ? [path.replaceAll(/\{(\w+)\}/g, ':$1')] : [];
    });
    expect(documented.length).toBeGreaterThan(2);
    const noted = app.accessTable.filter(({ method, discloses }) => method === 'GET' && discloses);
    expect(noted.map(({ url }) => url)).toEqual(expect.arrayContaining(documented));
  });
});
