import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileVerifier } from '../../src/signature/compile-verifier.ts';
import { findScheme, SCHEME_NAMES } from '../../src/signature/schemes.ts';
import { signRequest } from '../../src/signature/sign.ts';

interface Vector {
  scheme: string;
  name: string;
  secret: string;
  headers: Record<string, string>;
  body?: string;
  body_base64?: string;
  now: number;
  expect: 'accept' | 'reject';
  why: string;
}

const file = new URL('../vectors/signatures/signature-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as Vector[];

function bodyOf(vector: Vector): Buffer {
  return vector.body === undefined ? Buffer.from(vector.body_base64!, 'base64') : Buffer.from(vector.body, 'utf8');
}

function fieldsOf(vector: Vector): Map<string, string> {
  return new Map(Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function judge(vector: Vector) {
  const compiled = compileVerifier(findScheme(vector.scheme)!, vector.secret);
  if (!compiled.ok) throw new Error(compiled.message);
  const fields = fieldsOf(vector);
  const headers = { get: (name: string) => fields.get(name) };
  return compiled.verify({ headers, body: bodyOf(vector), nowMs: vector.now * 1000 });
}

describe('deliveries with a known verdict', () => {
  it('are there for every scheme, good ones and bad ones', () => {
    for (const name of SCHEME_NAMES) {
      const verdicts = vectors.filter((vector) => vector.scheme === name).map((vector) => vector.expect);
      expect(new Set(verdicts), name).toEqual(new Set(['accept', 'reject']));
    }
    expect(vectors.filter((vector) => !SCHEME_NAMES.includes(vector.scheme))).toEqual([]);
  });

  it.each(vectors)('$scheme: $name → $expect', (vector) => {
    const result = judge(vector);
    expect(result.ok, `${vector.why}: ${JSON.stringify(result)}`).toBe(vector.expect === 'accept');
  });
});

describe('signing the accepted deliveries again', () => {
  // A public key cannot sign.
  const accepted = vectors.filter((vector) => vector.expect === 'accept' && !vector.secret.startsWith('whpk_'));

  it.each(accepted)('$scheme: $name gives the signature that came with it', (vector) => {
    const scheme = findScheme(vector.scheme)!;
    const fields = fieldsOf(vector);
    const family = scheme.headers.find((one) => fields.has(one.signature.toLowerCase()))!;
    const presented = fields.get(family.signature.toLowerCase())!;
    const stamped = fields.get(family.timestamp?.toLowerCase() ?? '') ?? /t=(\d+)/.exec(presented)?.[1] ?? vector.now;
    const headers = signRequest(scheme, vector.secret, {
      body: bodyOf(vector),
      nowMs: Number(stamped) * 1000,
      deliveryId: fields.get(family.identity?.toLowerCase() ?? '') ?? null,
      newId: () => 'new-1',
    });
    const signature = headers[scheme.headers[0].signature]!;
    for (const entry of signature.split(scheme.entrySeparator ?? '\0')) expect(presented).toContain(entry);
  });
});
