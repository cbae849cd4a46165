import { createHash, createHmac, createPublicKey, sign, timingSafeEqual, verify as verifyWithKey } from 'node:crypto';
import { findScheme } from '../src/signature/schemes/schemes.ts';
import { signRequest } from '../src/signature/sign/sign-request.ts';
import { compileVerifier } from '../src/signature/verify/compile-verifier.ts';
import { makeSecrets, type SchemeSecrets } from '../test/helpers/scheme-secrets.ts';
import { receive } from '../test/helpers/signed-request.ts';

/**
 * Measures verifications per second for one scheme of each family, compared with the plain call of `node:crypto`. Both are
 * measured in turns, so that the ratio is valid on a machine with changing speed.
 * Usage: `npm run bench -- signatures [rounds] [milliseconds a round]`.
 */
const rounds = Number(process.argv[2] ?? 15);
const measuredMs = Number(process.argv[3] ?? 100);
const NOW_MS = 1_790_000_000_000;
const SIZES = [1_024, 65_536];
const URL = 'https://hooks.example.com/';

interface Case {
  scheme: string;
  /** The minimum computation: one digest, or one check of a valid signature, over the signed content of this scheme. */
  bare: (body: Buffer, secrets: SchemeSecrets) => () => void;
}

const hmac =
  (hash: string): Case['bare'] =>
  (body, { verifying }) => {
    const expected = createHmac(hash, verifying).update(body).digest();
    return () => void timingSafeEqual(createHmac(hash, verifying).update(body).digest(), expected);
  };

/** If a text is signed before the body: two pieces, because joining them would copy the body. */
const hmacAfter =
  (before: string): Case['bare'] =>
  (body, { verifying }) => {
    const compute = () => createHmac('sha256', verifying).update(before, 'latin1').update(body).digest();
    const expected = compute();
    return () => void timingSafeEqual(compute(), expected);
  };

const publicKey =
  (digest: string | null): Case['bare'] =>
  (body, { signing }) => {
    const key = createPublicKey(signing);
    const signature = sign(digest, body, signing);
    return () => void verifyWithKey(digest, body, key, signature);
  };

/** If a field of a form is signed, it must be parsed from the body first. This uses Node's parser. */
const publicKeyOverField =
  (digest: string, field: string): Case['bare'] =>
  (body, { signing }) => {
    const key = createPublicKey(signing);
    const read = () => Buffer.from(new URLSearchParams(body.toString()).get(field)!);
    const signature = sign(digest, read(), signing);
    return () => void verifyWithKey(digest, read(), key, signature);
  };

const CASES: Case[] = [
  { scheme: 'vercel', bare: hmac('sha1') },
  { scheme: 'github', bare: hmac('sha256') },
  { scheme: 'standard_webhooks', bare: hmacAfter(`evt_1.${NOW_MS / 1000}.`) },
  { scheme: 'stripe', bare: hmacAfter(`${NOW_MS / 1000}.`) },
  { scheme: 'shopify', bare: hmac('sha256') },
  { scheme: 'terraform', bare: hmac('sha512') },
  { scheme: 'square', bare: hmacAfter(URL) },
  { scheme: 'discord', bare: publicKey(null) },
  { scheme: 'sendgrid', bare: publicKey('sha256') },
  { scheme: 'travis', bare: publicKeyOverField('sha1', 'payload') },
  {
    scheme: 'gitlab',
    bare:
      (_body, { verifying }) =>
      () =>
        void createHash('sha256').update(verifying).digest(),
  },
  {
    scheme: 'netlify',
    bare:
      (body, { verifying }) =>
      () =>
        void createHmac('sha256', verifying).update(createHash('sha256').update(body).digest()).digest(),
  },
];

process.stdout.write(`${rounds} rounds of ${measuredMs} ms, Node ${process.versions.node}\n`);
process.stdout.write(
  `${'scheme'.padEnd(20)}${'bytes'.padStart(8)}${'a second'.padStart(12)}${'bare'.padStart(12)}${'ratio'.padStart(8)}\n`,
);
for (const one of CASES) {
  for (const size of SIZES) measure(one, size);
}

function measure({ scheme: name, bare }: Case, size: number): void {
  const scheme = findScheme(name)!;
  const { verifying, signing } = makeSecrets(scheme);
  const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(size - 11) }));
  const delivery = { url: URL, body, nowMs: NOW_MS, deliveryId: 'evt_1', newId: () => '' };
  const compiled = compileVerifier(scheme, verifying);
  if (!compiled.ok) throw new Error(compiled.message);
  const signed = signRequest(scheme, signing, delivery);
  const request = receive(signed, NOW_MS, name === 'square' ? { url: URL } : {});
  const { verify } = compiled;
  if (!(verify(request) as { ok: boolean }).ok) throw new Error(`${name} does not verify`);
  const [ours, theirs] = compare(() => void verify(request), bare(Buffer.from(signed.body), { verifying, signing }));
  const cells = [String(size), ours.toFixed(0), theirs.toFixed(0)].map((cell, index) =>
    cell.padStart(index === 0 ? 8 : 12),
  );
  process.stdout.write(`${name.padEnd(20)}${cells.join('')}${(ours / theirs).toFixed(2).padStart(8)}\n`);
}

/** Medians of calls per second of processor time, measured in turns after a warm-up. */
function compare(ours: () => void, theirs: () => void): [number, number] {
  const rates: [number[], number[]] = [[], []];
  for (let round = -2; round < rounds; round++) {
    const pair = [rateOf(ours), rateOf(theirs)] as const;
    if (round < 0) continue;
    rates[0].push(pair[0]);
    rates[1].push(pair[1]);
  }
  return [takeMedian(rates[0]), takeMedian(rates[1])];
}

/** Uses processor time, so that other programs of the machine affect neither of the two. */
function rateOf(act: () => void): number {
  const begun = process.cpuUsage();
  let calls = 0;
  let passedMs = 0;
  while (passedMs < measuredMs) {
    for (let i = 0; i < 16; i++) act();
    calls += 16;
    const { user, system } = process.cpuUsage(begun);
    passedMs = (user + system) / 1000;
  }
  return (calls * 1000) / passedMs;
}

function takeMedian(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}
