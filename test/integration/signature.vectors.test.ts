import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '../../src/definitions/signature/scheme.ts';
import { resolveScheme } from '../../src/definitions/signature/schemes/resolve-scheme.ts';
import { SCHEMES } from '../../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../../src/definitions/signature/sign/sign-request.ts';
import { compileVerifier } from '../../src/definitions/signature/verify/compile-verifier.ts';
import { toSignedRequest, WEBHOOK_URL } from '../helpers/signed-request.ts';

interface Vector {
  scheme: string;
  name: string;
  secret: string;
  method: string;
  url?: string;
  config?: { timestamp_header?: string };
  headers: Record<string, string>;
  body?: string;
  body_base64?: string;
  now: number;
  expect: 'accept' | 'reject';
  http_status: number;
  why: string;
}

/** One file for each scheme that has vectors. */
const folder = new URL('../vectors/signatures/', import.meta.url);
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
const readVectors = (file: string) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Vector[];
const vectors = files.flatMap(readVectors);

function bodyOf(vector: Vector): Buffer {
  return vector.body === undefined ? Buffer.from(vector.body_base64!, 'base64') : Buffer.from(vector.body, 'utf8');
}

function nameOf(vector: Vector): string {
  return vector.scheme.replace(/_timestamped$/, '');
}

function settingsOf({ config }: Vector) {
  return config?.timestamp_header === undefined ? null : { timestamp: { header: config.timestamp_header } };
}

function schemeOf(vector: Vector): Scheme {
  const scheme = resolveScheme(nameOf(vector), settingsOf(vector));
  if (scheme === null) throw new Error(`no scheme ${vector.scheme}`);
  return scheme;
}

function check(vector: Vector) {
  const compiled = compileVerifier(schemeOf(vector), vector.secret);
  if (!compiled.ok) throw new Error(compiled.message);
  const { method, headers, url = WEBHOOK_URL } = vector;
  return compiled.verify(toSignedRequest({ method, headers, url, body: bodyOf(vector), nowMs: vector.now * 1000 }));
}

/** Nothing was published and nothing could be generated for these schemes: only `table-walk.test.ts` covers them. */
const WITHOUT_VECTORS = [
  'alertmanager',
  'azure_devops',
  'buildkite_token',
  'grafana_token',
  'heroku_token',
  'microsoft_graph',
  'hubspot_v3',
  'mailgun',
  'netlify',
  'okta',
  'sns',
  'travis',
  'workos',
  'x',
];

describe('deliveries with a known result', () => {
  it('exist for every scheme that is not listed as an exception', () => {
    const names = new Set(vectors.map(nameOf));
    expect([...names, ...WITHOUT_VECTORS].sort()).toEqual(SCHEMES.map(({ name }) => name));
  });

  it('are not fewer than the original collection', () => expect(vectors.length).toBeGreaterThanOrEqual(143));

  it.each(files)('%s contains only vectors of its scheme, and at least one accepted', (file) => {
    const own = readVectors(file);
    expect(own.map((vector) => `${nameOf(vector)}.json`)).toEqual(own.map(() => file));
    expect(own.some((vector) => vector.expect === 'accept')).toBe(true);
  });

  it.each(vectors)('$scheme: $name → $expect', async (vector) => {
    const result = await check(vector);
    expect(result.ok, `${vector.why}: ${JSON.stringify(result)}`).toBe(vector.expect === 'accept');
  });
});

const isHeader = (place: { in: string }) => place.in === 'header';

describe('signing the accepted deliveries again', () => {
  // A public key cannot sign, `send` posts no forms, and one timestamp is in a time zone that `send` does not use.
  const accepted = vectors.filter(
    ({ expect: verdict, scheme, secret, name }) =>
      verdict === 'accept' &&
      !secret.startsWith('whpk_') &&
      !['discord', 'sendgrid'].includes(scheme) &&
      name !== 'published: form' &&
      !(scheme === 'box' && name.startsWith('published')),
  );

  it.each(accepted)('$scheme: $name returns the signature of the vector', (vector) => {
    const scheme = schemeOf(vector);
    const fields = new Map(Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]));
    const { nowMs, deliveryId } = readStamps(scheme, fields, vector);
    const url = (vector.url ?? WEBHOOK_URL).replace(/&bodySHA256=.*$/, '');
    const signed = signRequest(scheme, vector.secret, {
      url,
      body: bodyOf(vector),
      nowMs,
      deliveryId,
      newId: () => 'new-1',
    });
    expect(Buffer.from(signed.body)).toEqual(bodyOf(vector));
    for (const [name, value] of Object.entries(signed.headers)) {
      if (!isCredential(scheme, name)) continue;
      const presented = fields.get(name.toLowerCase()) ?? fields.get(name.toLowerCase().replace('webhook-', 'svix-'));
      for (const entry of value.split(separatorOf(scheme))) expect(presented, name).toContain(entry);
    }
  });

  function separatorOf(scheme: Scheme): string {
    return scheme.family === 'signature' ? (scheme.entrySeparator ?? '\0') : '\0';
  }

  function isCredential(scheme: Scheme, name: string): boolean {
    if (scheme.family !== 'signature') return /token|signature/i.test(name);
    return scheme.headers[0].signatures.some((place) => isHeader(place) && 'name' in place && place.name === name);
  }

  function readStamps(scheme: Scheme, fields: Map<string, string>, vector: Vector) {
    if (scheme.family !== 'signature') return { nowMs: vector.now * 1000, deliveryId: null };
    const family = scheme.headers.find(({ signatures }) =>
      signatures.some((place) => place.in === 'header' && fields.has(place.name.toLowerCase())),
    )!;
    const place = family.signatures.find((one) => one.in === 'header' && fields.has(one.name.toLowerCase()))!;
    const presented = place.in === 'header' ? fields.get(place.name.toLowerCase())! : '';
    const inHeader = fields.get(family.timestamp?.toLowerCase() ?? '');
    const inBody = /"webhookTimestamp":(\d+)/.exec(vector.body ?? '')?.[1];
    const stamped =
      inHeader ?? inBody ?? /(?:^|[,;])(?:t|ts|timestamp)=(\d+)/.exec(presented)?.[1] ?? String(vector.now);
    const nowMs = /^\d+$/.test(stamped) ? Number(stamped) * (stamped.length > 10 ? 1 : 1000) : Date.parse(stamped);
    const { identity } = family;
    return { nowMs, deliveryId: identity?.in === 'header' ? (fields.get(identity.name.toLowerCase()) ?? null) : null };
  }
});
