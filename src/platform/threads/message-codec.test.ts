import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { decodeMessage, encodeMessage } from './message-codec.ts';
import { pack, unpack } from './packed.ts';

function cross(message: unknown): unknown {
  const { encoded, transfer } = encodeMessage(message);
  return decodeMessage(structuredClone(encoded, { transfer }));
}

describe('a message that crosses threads', () => {
  it('keeps each secret, at any depth', () => {
    const message = { args: ['put', new SecretValue('first'), { webhooks: [{ secret: new SecretValue('second') }] }] };
    const [name, value, { webhooks }] = (cross(message) as typeof message).args as [
      string,
      SecretValue,
      { webhooks: [{ secret: SecretValue }] },
    ];
    expect(name).toBe('put');
    expect([value, webhooks[0].secret].map((secret) => secret.reveal())).toEqual(['first', 'second']);
    expect(inspect([value, webhooks], { depth: 9 })).not.toMatch(/first|second/);
  });

  it('keeps a secret that is the whole message', () => {
    expect((cross(new SecretValue('alone')) as SecretValue).reveal()).toBe('alone');
  });

  it('keeps name, message, stack, code and details of an AppError, also if its cause cannot be copied', () => {
    const err = new AppError('storage_unavailable', 'the disk is full', { cause: () => 'a function', details: [1] });
    const restored = cross({ factory: 'payments', err }) as { factory: string; err: Error };
    expect(restored.err).toBeInstanceOf(AppError);
    const { name, message, stack, code, details } = err;
    expect(restored).toMatchObject({ factory: 'payments', err: { name, message, stack, code, details } });
  });

  it('keeps name, message, stack and code of any other error', () => {
    const err = Object.assign(new TypeError('no such file'), { code: 'ENOENT', open: () => {} });
    const restored = (cross({ err }) as { err: Error }).err;
    expect(restored).toBeInstanceOf(Error);
    expect(restored).toMatchObject({ name: 'TypeError', message: 'no such file', stack: err.stack, code: 'ENOENT' });
    expect(cross(new Error('no code'))).not.toHaveProperty('code');
  });

  it('keeps everything else as a structured clone does', () => {
    const message = {
      text: 'a',
      none: undefined,
      bytes: new Uint8Array([1]),
      scopes: new Map([['a', [1]]]),
      list: [null],
    };
    expect(cross(message)).toEqual(message);
    const { encoded } = encodeMessage(message);
    expect(encoded.message).toBe(message);
  });

  it('is not changed by encoding', () => {
    const message = { secret: new SecretValue('kept'), other: [{ enabled: true }] };
    const { encoded } = encodeMessage(message);
    expect(message.secret.reveal()).toBe('kept');
    expect(inspect(encoded.message)).not.toContain('kept');
    expect((encoded.message as typeof message).other).toBe(message.other);
  });

  it('moves packed values', () => {
    const packed = pack({ rows: [1, 2] });
    const message = cross({ args: [packed, new SecretValue('a')] }) as { args: [typeof packed, SecretValue] };
    expect(unpack(message.args[0])).toEqual({ rows: [1, 2] });
    expect(packed.packed.byteLength).toBe(0);
  });
});
