import { expect, it } from 'vitest';
import { AppError } from '../../domain/errors.ts';
import { copyLogFields, restoreLogFields } from './protocol.ts';

it('keeps name, message, stack and code of a logged error, also if its cause cannot be copied', () => {
  const err = new AppError('storage_unavailable', 'the disk is full', { cause: () => 'a function' });
  const restored = restoreLogFields(structuredClone(copyLogFields({ factory: 'payments', err })));
  expect(restored).toMatchObject({ factory: 'payments' });
  expect(restored.err).toBeInstanceOf(Error);
  expect(restored.err).toMatchObject({
    name: 'AppError',
    message: 'the disk is full',
    stack: err.stack,
    code: 'storage_unavailable',
  });
});

it('leaves fields without an error as they are', () => {
  const fields = { factory: 'payments', revision: 'c0ffee' };
  expect(restoreLogFields(copyLogFields(fields))).toEqual(fields);
});
