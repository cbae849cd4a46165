import { createHash, createHmac, createPublicKey, sign, timingSafeEqual, verify as verifyWithKey } from 'node:crypto';
import { findScheme } from '../src/definitions/signature/schemes/schemes.ts';
import { signRequest } from '../src/definitions/signature/sign/sign-request.ts';
import { compileVerifier } from '../src/definitions/signature/verify/compile-verifier.ts';
import { makeSecrets, type SchemeSecrets } from '../test/helpers/scheme-secrets.ts';
import { receive } from '../test/helpers/signed-request.ts';
import { type Benchmark, type BenchOptions, divide, type Row, row, type Table } from './kit/benchmark.ts';
import { compareRates } from './kit/compare-rates.ts';

/** Verification of one scheme of each family, compared with the plain call of `node:crypto`. */
export const benchmark: Benchmark = {
  summary: 'verifications per second of one scheme of each family, compared with the plain call of node:crypto',
  isDurable: false,
  defaults: { rounds: 9, seconds: 0.1 },
  run,
};

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

async function run({ rounds, seconds, isQuick }: BenchOptions): Promise<Table[]> {
  const cases = isQuick ? CASES.slice(0, 2) : CASES;
  const rows = cases.flatMap((one) => SIZES.flatMap((size) => measure(one, size, rounds, seconds * 1_000)));
  const notes = [
    'Rates per second of processor time, measured in turns after a warm-up.',
    'A ratio of 1.00 means that the verification costs as much as the plain call of node:crypto.',
  ];
  return [{ title: 'Verification of signatures', rows, notes }];
}

function measure({ scheme: name, bare }: Case, size: number, rounds: number, measuredMs: number): Row[] {
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
  const plain = bare(Buffer.from(signed.body), { verifying, signing });
  const { subject, baseline } = compareRates(
    { subject: () => void verify(request), baseline: plain },
    rounds,
    measuredMs,
  );
  const label = `${name}, ${size / 1_024} KiB`;
  return [row(label, '/s', subject), row(`${label}, ratio to node:crypto`, '×', divide(subject, baseline))];
}
