import { AppError } from '../../domain/errors.ts';
import { SecretValue } from '../../domain/secrets/secret-value.ts';
import { isPacked } from './packed.ts';
import { copyError, type ErrorCopy, restoreError } from './pending-calls.ts';

/** A message as it crosses threads. Instances whose class a structured clone would lose are listed separately. */
export interface EncodedMessage {
  message: unknown;
  instances: { path: Key[]; copy: InstanceCopy }[];
}

type Key = string | number;

type InstanceCopy =
  | { secret: string }
  | { appError: ErrorCopy; stack: string | undefined }
  | { error: Pick<Error, 'name' | 'message' | 'stack'> & { code: unknown } };

/**
 * Encodes a message, so that `decodeMessage` in another thread restores each `SecretValue` and each error at any depth of
 * plain objects and arrays. An error keeps what the log shows of it. The message itself is not changed; parts of it without
 * such an instance are not copied.
 *
 * @returns also the buffers of packed values, which change threads without a copy
 */
export function encodeMessage(message: unknown): { encoded: EncodedMessage; transfer: ArrayBuffer[] } {
  const encoder = new Encoder();
  const encoded = { message: encoder.encodeAt('message', message), instances: encoder.instances };
  return { encoded, transfer: encoder.transfer };
}

/** Restores a message in place. Takes time for each instance, not for the rest of the message. */
export function decodeMessage(encoded: EncodedMessage): unknown {
  const root: Fields = { message: encoded.message };
  for (const { path, copy } of encoded.instances) {
    const parent = path.slice(0, -1).reduce((fields, key) => fields[key] as Fields, root);
    parent[path.at(-1)!] = restoreInstance(copy);
  }
  return root.message;
}

/** A plain object or an array. */
type Fields = Record<Key, unknown>;

class Encoder {
  readonly instances: EncodedMessage['instances'] = [];
  readonly transfer: ArrayBuffer[] = [];
  readonly #path: Key[] = [];

  encodeAt(key: Key, value: unknown): unknown {
    this.#path.push(key);
    const encoded = this.#encode(value);
    this.#path.pop();
    return encoded;
  }

  #encode(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#encodeFields(value as unknown as Fields, value.keys());
    const copy = copyInstance(value);
    if (copy !== null) {
      this.instances.push({ path: [...this.#path], copy });
      return null;
    }
    if (isPacked(value)) this.transfer.push(value.packed.buffer);
    else if (isPlain(value)) return this.#encodeFields(value, Object.keys(value));
    return value;
  }

  #encodeFields(fields: Fields, keys: Iterable<Key>): Fields {
    let copy: Fields | null = null;
    for (const key of keys) {
      const field = this.encodeAt(key, fields[key]);
      if (field === fields[key]) continue;
      copy ??= Array.isArray(fields) ? ([...fields] as unknown as Fields) : { ...fields };
      copy[key] = field;
    }
    return copy ?? fields;
  }
}

function isPlain(value: object): value is Fields {
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function copyInstance(value: object): InstanceCopy | null {
  if (value instanceof SecretValue) return { secret: value.reveal() };
  if (value instanceof AppError) return { appError: copyError(value), stack: value.stack };
  if (!(value instanceof Error)) return null;
  const { name, message, stack } = value;
  return { error: { name, message, stack, code: 'code' in value ? value.code : undefined } };
}

function restoreInstance(copy: InstanceCopy): SecretValue | Error {
  if ('secret' in copy) return new SecretValue(copy.secret);
  if ('appError' in copy) return Object.assign(restoreError(copy.appError), { stack: copy.stack });
  const { name, message, stack, code } = copy.error;
  return Object.assign(new Error(message), { name, stack }, code === undefined ? {} : { code });
}
