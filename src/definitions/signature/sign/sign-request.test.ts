import { describe, expect, it } from 'vitest';
import { toSignedRequest } from '../../../../test/helpers/signed-request.ts';
import { AppError } from '../../../domain/errors.ts';
import { resolveScheme } from '../schemes/resolve-scheme.ts';
import { findScheme } from '../schemes/schemes.ts';
import { compileVerifier } from '../verify/compile-verifier.ts';
import { signRequest } from './sign-request.ts';

const body = Buffer.from('Hello, World!');
const at = { url: 'https://example.com/hook', body, nowMs: 1_614_265_330_999, deliveryId: null, newId: () => 'new-1' };

function messageOfThrown(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError && error.code === 'bad_request') return error.message;
    throw error;
  }
  return 'nothing thrown';
}

describe('signing as a sender', () => {
  it("returns GitHub's published signature, and a delivery ID as GitHub always sends", () => {
    expect(signRequest(findScheme('github')!, "It's a Secret to Everybody", at).headers).toEqual({
      'X-GitHub-Delivery': 'new-1',
      'X-Hub-Signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    });
  });

  it("returns Standard Webhooks' published signature, with whole seconds", () => {
    const delivery = { ...at, body: Buffer.from('{"test": 2432232314}'), deliveryId: 'msg_p5jXN8AQM9LWM0D4loKWxJek' };
    expect(
      signRequest(findScheme('standard_webhooks')!, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', delivery).headers,
    ).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
  });

  it('generates no ID if the scheme has no header for it', () => {
    const newId = () => {
      throw new Error('asked');
    };
    expect(Object.keys(signRequest(findScheme('vercel')!, 'secret', { ...at, newId }).headers)).toEqual([
      'x-vercel-signature',
    ]);
  });

  it('sends a placeholder in headers that only a custom sender can fill, and signs it if they are signed', async () => {
    const block = {
      header: 'X-S',
      requiredHeaders: ['X-Shop'],
      content: '{header:X-Topic}.{header:X-S-Id}.{header:content-type}.{body}',
      idHeader: 'x-s-id',
    };
    const scheme = resolveScheme('custom', block)!;
    const { headers } = signRequest(scheme, 'secret', at);
    expect(headers).toMatchObject({
      'X-Shop': 'test',
      'X-Topic': 'test',
      'x-s-id': 'new-1',
      'Content-Type': 'application/json',
    });
    expect(Object.keys(headers)).not.toContain('X-S-Id');
    const compiled = compileVerifier(scheme, 'secret');
    expect(compiled.ok && (await compiled.verify(toSignedRequest({ headers, body, nowMs: at.nowMs })))).toMatchObject({
      ok: true,
    });
  });

  it('rejects a public key, an unusable secret and an ID with a line break, each with a message', () => {
    const scheme = findScheme('standard_webhooks')!;
    const whpk = `whpk_${Buffer.alloc(32, 1).toString('base64')}`;
    expect(messageOfThrown(() => signRequest(scheme, whpk, at))).toContain('cannot sign');
    expect(messageOfThrown(() => signRequest(scheme, '!', at))).toContain('is not base64');
    const split = { ...at, deliveryId: 'a\r\nx-evil: 1' };
    expect(messageOfThrown(() => signRequest(findScheme('github')!, 's', split))).toContain('control character');
  });
});
