import { expect, it } from 'vitest';
import { Lifetime } from './lifetime.ts';

it('ends what was begun in reverse order, one after the other, each once', async () => {
  const lifetime = new Lifetime();
  const ended: string[] = [];
  lifetime.defer(() => ended.push('first'));
  lifetime.defer(async () => {
    await new Promise(setImmediate);
    ended.push('second');
  });
  await lifetime.end();
  await lifetime.end();
  expect(ended).toEqual(['second', 'first']);
});

it('continues if an ending fails, and then throws the first failure', async () => {
  const lifetime = new Lifetime();
  const ended: string[] = [];
  lifetime.defer(() => ended.push('first'));
  lifetime.defer(() => {
    throw new Error('later');
  });
  lifetime.defer(() => Promise.reject(new Error('earlier')));
  await expect(lifetime.end()).rejects.toThrow('earlier');
  expect(ended).toEqual(['first']);
});
