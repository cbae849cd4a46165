import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyCiFactory, CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../helpers/otlp-receiver.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from '../helpers/test-daemon.ts';

/** Prints what the run got, then does what the payload says. */
const COMMAND = `
  printf '%s|%s|' "$TRACEPARENT" "$TRACESTATE"
  tr -d '\\n ' < "$HOME/run.json"
  grep -q '"wait":true' "$DOCKBELL_PAYLOAD" && sleep 60
  ! grep -q '"fail":true' "$DOCKBELL_PAYLOAD"
`;
const MARKER = 'a-value-of-the-payload';

describe('traces', () => {
  let repo: TempGitRepo;
  let receiver: OtlpReceiver;
  let daemon: TestDaemon;
  let url: string;

  const start = (dataDir?: string) =>
    startTestDaemon({
      config: {
        ...configureCiFactory(repo, ['/bin/sh', '-c', COMMAND]),
        telemetry: { otlpEndpoint: receiver.url },
      },
      env: { OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=k1', OTEL_SERVICE_NAME: 'dockbell-test' },
      ...(dataDir === undefined ? {} : { dataDir }),
    });
  const createTraceId = () => crypto.randomUUID().replaceAll('-', '');
  const send = async (headers: Record<string, string>, payload: object = {}, token = CI_TOKEN) =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ start: true, marker: MARKER, id: crypto.randomUUID(), ...payload }),
    });
  const spansOf = (traceId: string) => receiver.spans.filter((span) => span.traceId === traceId);
  const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
  /** Waits until the attempts of both automations are exported. */
  const traceOf = (traceId: string) =>
    eventually(() => named(spansOf(traceId), 'execute').length === 2 && spansOf(traceId));
  const readLog = async (span: ReceivedSpan) => {
    const { body } = await daemon.api(`/runs/${span.attributes['dockbell.run.id']}/log`);
    const [traceparent, tracestate, file] = (typeof body === 'string' ? body : body.text).split('|');
    return { traceparent, tracestate, file: JSON.parse(file) };
  };

  beforeAll(async () => {
    repo = await createCiRepository();
    receiver = await startOtlpReceiver();
    daemon = await start();
    url = `${daemon.ingressUrl}/webhooks/w/${await applyCiFactory(daemon)}`;
  });
  afterAll(async () => {
    await daemon.end('SIGTERM');
    await receiver.close();
    repo.remove();
  });

  it('continue the trace of the sender from the request to the end of its runs', async () => {
    const traceId = createTraceId();
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    expect((await send({ traceparent, tracestate: 'vendor=x' }, { fail: true })).status).toBe(202);
    const spans = await traceOf(traceId);
    const [receive] = named(spans, 'receive');
    expect(receive).toMatchObject({
      kind: 2,
      parentSpanId: '00f067aa0ba902b7',
      traceState: 'vendor=x',
      status: 0,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 202,
        'http.route': '/webhooks/w/{uid}',
        'dockbell.factory': 'payments',
        'dockbell.webhook': 'ci',
        'dockbell.delivery.label': 'Accepted',
      },
      resource: { 'service.name': 'dockbell-test' },
    });
    for (const name of ['verify', 'match', 'record', 'queue', 'execute'])
      for (const span of named(spans, name)) expect(span.parentSpanId).toBe(receive!.spanId);
    expect(spans.map(({ name }) => name).sort()).toEqual(
      ['execute', 'execute', 'match', 'queue', 'queue', 'receive', 'record', 'verify'].sort(),
    );
    const parts = ['verify', 'match', 'record'].map((name) => named(spans, name)[0]!);
    for (const [index, part] of parts.entries()) {
      expect(part.startMs).toBeGreaterThanOrEqual(index === 0 ? receive!.startMs : parts[index - 1]!.endMs - 0.001);
      expect(part.endMs).toBeLessThanOrEqual(receive!.endMs + 0.001);
    }
    for (const execute of named(spans, 'execute')) {
      expect(execute).toMatchObject({
        status: 2,
        attributes: {
          'dockbell.run.state': 'failed',
          'error.type': 'exit_code',
          'process.exit.code': 1,
          'dockbell.delivery.id': receive!.attributes['dockbell.delivery.id'],
        },
      });
      const log = await readLog(execute);
      const expected = { traceparent: `00-${traceId}-${execute.spanId}-01`, tracestate: 'vendor=x' };
      expect(log).toMatchObject({ ...expected, file: { trace: expected } });
    }
  });

  it('contain neither values of payloads nor credentials, and carry the key of the collector', () => {
    const text = receiver.bodies.join('\n');
    for (const value of [MARKER, CI_TOKEN, 'x-collector-key']) expect(text).not.toContain(value);
    expect(receiver.headers[0]).toMatchObject({ 'x-collector-key': 'k1' });
  });

  it('do not continue or export the trace of a request that is not authenticated', { tags: 'full' }, async () => {
    const traceId = createTraceId();
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
    expect((await send({ traceparent }, {}, 'a-wrong-token-of-a-stranger')).status).toBe(401);
    const later = createTraceId();
    await send({ traceparent: `00-${later}-00f067aa0ba902b7-01` });
    await traceOf(later);
    expect(spansOf(traceId)).toEqual([]);
  });

  it('begin again if the headers of the sender are invalid', { tags: 'full' }, async () => {
    const traceId = createTraceId();
    const valid = `00-${traceId}-00f067aa0ba902b7-01`;
    const invalid = [`${valid}-x`, valid.toUpperCase(), `ff${valid.slice(2)}`, valid.replace(traceId, '0'.repeat(32))];
    const before = receiver.spans.length;
    for (const traceparent of invalid) expect((await send({ traceparent })).status).toBe(202);
    expect((await send({ traceparent: valid, tracestate: `a=${'x'.repeat(600)}` })).status).toBe(202);
    await traceOf(traceId);
    await eventually(() => named(receiver.spans.slice(before), 'receive').length === invalid.length + 1);
    const begun = named(receiver.spans.slice(before), 'receive').filter((span) => span.parentSpanId === undefined);
    expect(begun).toHaveLength(invalid.length);
    expect(named(spansOf(traceId), 'receive')[0]!.traceState).toBeUndefined();
  });

  it('are not exported if the sender does not sample, but reach the runs', { tags: 'full' }, async () => {
    const traceId = createTraceId();
    const answer = await send({ traceparent: `00-${traceId}-00f067aa0ba902b7-00` });
    expect(answer.status).toBe(202);
    const { delivery_id: identity } = (await answer.json()) as { delivery_id: string };
    const run = await eventually(async () => {
      const { body } = await daemon.api('/factories/payments/runs?limit=10');
      return body.data.find(
        (each: { delivery_id: string; state: string }) => each.delivery_id === identity && each.state === 'succeeded',
      );
    });
    const { body } = await daemon.api(`/runs/${run.id}/log`);
    expect(typeof body === 'string' ? body : body.text).toContain(`00-${traceId}-`);
    const later = createTraceId();
    await send({ traceparent: `00-${later}-00f067aa0ba902b7-01` });
    await traceOf(later);
    expect(spansOf(traceId)).toEqual([]);
  });

  it('show the steps of a reconciliation, and its error', { tags: 'full' }, async () => {
    const isApplied = ({ name, attributes }: ReceivedSpan) =>
      name === 'reconcile' && attributes['dockbell.reconciliation.result'] === 'applied';
    const applied = await eventually(() => receiver.spans.find(isApplied));
    const steps = receiver.spans.filter((span) => span.parentSpanId === applied.spanId);
    expect(steps.map(({ name }) => name).sort()).toEqual(['apply', 'fetch', 'plan', 'validate']);
    expect(applied.status).toBe(0);

    const revision = await repo.commit({ 'webhooks/ci.yaml': 'secretName: [1]\n' });
    await daemon.api('/factories/payments/reconcile', { method: 'POST' });
    const isOf = ({ name, attributes }: ReceivedSpan) =>
      name === 'reconcile' && attributes['vcs.ref.head.revision'] === revision;
    const failed = await eventually(() => receiver.spans.find(isOf));
    expect(failed).toMatchObject({ status: 2, attributes: { 'error.type': 'ValidationFailed' } });
    await repo.commit({ 'webhooks/ci.yaml': 'secretName: CI_SECRET\n' });
  });

  it('continue over a restart: the next daemon ends the span of a run that it finds interrupted', {
    tags: 'full',
  }, async () => {
    const traceId = createTraceId();
    expect((await send({ traceparent: `00-${traceId}-00f067aa0ba902b7-01` }, { wait: true })).status).toBe(202);
    await eventually(() => named(spansOf(traceId), 'queue').length === 2);
    await daemon.end('SIGKILL');
    daemon = await start(daemon.dataDir);
    const executed = named(await traceOf(traceId), 'execute');
    for (const span of executed) {
      expect(span).toMatchObject({ status: 2, attributes: { 'error.type': 'interrupted' } });
      expect((await readLog(span)).traceparent).toBe(`00-${traceId}-${span.spanId}-01`);
    }
  });

  it('never delay a delivery, and are counted if the collector rejects them', { tags: 'full' }, async () => {
    url = `${daemon.ingressUrl}/webhooks/w/${url.split('/').at(-1)}`;
    receiver.status = 400;
    expect((await send({})).status).toBe(202);
    const metric = async () => (await daemon.api('/../../metrics')).body as string;
    await eventually(async () => /^dockbell_spans_total\{outcome="failed"\} [1-9]/m.test(await metric()));
    expect(daemon.output()).toContain('span export failed');
    receiver.status = 200;
    await send({});
    await eventually(() => daemon.output().includes('span export works again'));
  });
});
