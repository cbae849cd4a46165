import { afterEach, describe, expect, it } from 'vitest';
import { readCapturedRequest } from '../../src/cli/input/read-captured-request.ts';
import { createClientAddresses } from '../../src/domain/network/client-address.ts';
import { identify } from '../../src/ingress/steps/identify.ts';
import { createRequestHeaders } from '../../src/ingress/transport/request-headers.ts';
import { validateFiles } from '../helpers/definition-tree.ts';
import { LINEAR_GROWTH, measureGrowth } from '../helpers/measure-growth.ts';
import { startIngress, type TestIngress } from '../helpers/start-ingress.ts';

/** A text that an expression for blanks at the end of a value scans from each of its blanks. */
const blanks = (length: number) => `a${' '.repeat(length)}b`;

const webhook = 'webhooks/ci.yaml';
const automation = (value: string) =>
  `---\ntriggers:\n  - {provider: webhook, event: received, filter: {webhooks: [ci], payload: {a: ['${value}']}}}\n---\nDo it.\n`;

/** Functions that read a text whose length an untrusted sender chooses. */
const READERS: { [what: string]: (length: number) => unknown } = {
  'a header value with blanks inside': (length) => createRequestHeaders(['X-Id', blanks(length)]).get('x-id'),
  'an identity of the provider with blanks inside': (length) =>
    identify(
      { headers: createRequestHeaders([]), providerIdentity: blanks(length), payload: undefined },
      { identityHeader: null, identityPath: null, hasBodyKey: false, deduplicate: true, holdsSecret: () => false },
      Buffer.alloc(32),
    ),
  'X-Forwarded-For with blanks inside, from a trusted proxy': (length) =>
    createClientAddresses(['10.0.0.1']).find('10.0.0.1', createRequestHeaders(['X-Forwarded-For', blanks(length)])),
  'X-Forwarded-For with many hops, from a trusted proxy': (length) =>
    createClientAddresses(['10.0.0.1']).find(
      '10.0.0.1',
      createRequestHeaders(['X-Forwarded-For', '10.0.0.1,'.repeat(length)]),
    ),
  'a captured HTTP request with blanks in a header': (length) =>
    readCapturedRequest(Buffer.from(`POST / HTTP/1.1\nX-Id: ${blanks(length)}\n\n{}`)),
  'a captured request whose base64 holds blanks': (length) => {
    const request = JSON.stringify({ headers: {}, body_base64: `${' '.repeat(length)}!` });
    expect(() => readCapturedRequest(Buffer.from(request))).toThrow('body');
  },
  'a value of a payload filter that begins as a regular expression': (length) =>
    validateFiles({
      [webhook]: 'secretName: A\n',
      'automations/a/automation.md': automation(`/${'$'.repeat(length)}`),
    }),
};

describe('the time to read', () => {
  it.each(Object.entries(READERS))('%s grows with its length, not with the square of it', (_, read) => {
    read(1);
    expect(measureGrowth(4_000, (length) => void read(length))).toBeLessThan(LINEAR_GROWTH);
  });
});

describe('the listener', () => {
  let ingress: TestIngress;

  afterEach(() => ingress.close());

  it('answers a request without a credential whose X-Forwarded-For fills the header section in little time', async () => {
    ingress = await startIngress({ trustedProxies: ['127.0.0.1'] });
    const connection = await ingress.connect();
    const measureCpuMs = async (length: number) => {
      const before = process.cpuUsage();
      for (let n = 0; n < 10; n++) {
        connection.send(`POST /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${blanks(length)}\r\n\r\n`);
        expect((await connection.readAnswer())?.status).toBe(404);
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };
    await measureCpuMs(0);
    // The quadratic expression took a second for ten of them.
    expect(await measureCpuMs(15_800)).toBeLessThan(Math.max(10 * (await measureCpuMs(0)), 250));
  });
});
