import { describe, expect, it } from 'vitest';
import { buildAlert } from '../../../test/helpers/build-alert.ts';
import { ALERT_ID, createSeededServer, createSeededServices } from '../../../test/helpers/seeded-services.ts';
import type { Role } from '../../domain/access/access.ts';

function open() {
  const services = createSeededServices();
  const app = createSeededServer(services);
  const as = (role: Role = 'operator', factories: string[] | null = null) => {
    const headers = { authorization: `Bearer ${services.grant(role, factories)}` };
    return async (method: 'GET' | 'POST', path: string, payload?: object) => {
      const answer = await app.inject({ method, url: `/api/v1${path}`, headers, ...(payload && { payload }) });
      return { status: answer.statusCode, body: answer.json() };
    };
  };
  return { services, as };
}

describe('the routes of alerts', () => {
  it('show what was found, what to do, and about what', async () => {
    const { as } = open();
    const { body } = await as()('GET', `/alerts/${ALERT_ID}`);
    expect(body).toMatchObject({
      id: ALERT_ID,
      rule: 'runFailed',
      severity: 'error',
      state: 'open',
      object: { kind: 'automation', name: 'fix-errors', id: 'fix-errors' },
      advice: expect.stringContaining('dockbell run log'),
    });
    expect((await as()('GET', '/alerts?state=active')).body.data).toEqual([body]);
    expect((await as()('GET', '/alerts?state=resolved')).body.data).toEqual([]);
    expect((await as()('GET', '/alerts?rule=unknown')).status).toBe(400);
  });

  it('hide alerts about the installation and other factories from a limited token', async () => {
    const { services, as } = open();
    const disk = buildAlert({ rule: 'disk', factory: null, object: null });
    await services.storage.alertStore.change({ opened: [disk], changed: [], notices: [] });
    const limited = as('operator', ['other']);
    expect((await limited('GET', '/alerts')).body.data).toEqual([]);
    expect((await limited('GET', '/alerts?factory=payments')).body.data).toEqual([]);
    const missing = (await limited('GET', '/alerts/alt_nothing')).body;
    for (const id of [ALERT_ID, disk.id]) {
      const { status, body } = await limited('GET', `/alerts/${id}`);
      expect([status, body.detail]).toEqual([404, missing.detail]);
      expect((await limited('POST', `/alerts/${id}/acknowledge`)).status).toBe(404);
    }
    const payments = as('operator', ['payments']);
    expect((await payments('GET', '/alerts')).body.data).toMatchObject([{ id: ALERT_ID }]);
  });

  it('acknowledge an open alert once, with a note, in the audit log', async () => {
    const { as } = open();
    const [viewer, operator] = [as('viewer'), as('operator')];
    expect((await viewer('POST', `/alerts/${ALERT_ID}/acknowledge`)).status).toBe(403);
    const { body } = await operator('POST', `/alerts/${ALERT_ID}/acknowledge`, { note: ' on it ' });
    expect(body).toMatchObject({ state: 'acknowledged', note: 'on it', acknowledged_by: { kind: 'token' } });
    expect((await operator('POST', `/alerts/${ALERT_ID}/acknowledge`)).status).toBe(409);
    expect((await operator('POST', `/alerts/${ALERT_ID}/acknowledge`, { note: 'x'.repeat(501) })).status).toBe(400);
    const { data } = (await as('owner')('GET', `/audit?object=alerts/${ALERT_ID}&outcome=done`)).body;
    expect(data).toMatchObject([{ action: 'Acknowledge alert', changes: { note: ' on it ' } }]);
  });

  it('list targets with their problem, and test one', async () => {
    const { as } = open();
    const [{ name, problem }] = (await as()('GET', '/alert-targets')).body.data;
    expect([name, problem]).toEqual(['ops', 'it responded with 404']);
    expect((await as()('POST', '/alert-targets/ops/test')).body).toEqual({ target: 'ops', sent: false, problem });
    expect((await as()('POST', '/alert-targets/nobody/test')).status).toBe(404);
    expect((await as('operator', ['payments'])('GET', '/alert-targets')).status).toBe(403);
  });
});
