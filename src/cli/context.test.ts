import { expect, it } from 'vitest';
import { createProcessContext } from './context.ts';

it('removes the master key from the environment of the process', () => {
  const env: NodeJS.ProcessEnv = { PATH: '/bin', DOCKBELL_MASTER_KEY: 'a key' };
  const context = createProcessContext(Object.create(process, { env: { value: env } }));
  expect(context.env).toEqual({ PATH: '/bin', DOCKBELL_MASTER_KEY: 'a key' });
  expect(env).toEqual({ PATH: '/bin' });
});
