import { expect, it } from 'vitest';
import { createProcessContext } from './context.ts';

it('removes the master key and what systemd passes to one process from the environment of the process', () => {
  const passed = { DOCKBELL_MASTER_KEY: 'a key', NOTIFY_SOCKET: '/run/notify', LISTEN_PID: '7', LISTEN_FDS: '1' };
  const env: NodeJS.ProcessEnv = { PATH: '/bin', ...passed };
  const context = createProcessContext(Object.create(process, { env: { value: env } }));
  expect(context.env).toEqual({ PATH: '/bin', ...passed });
  expect(env).toEqual({ PATH: '/bin' });
});
