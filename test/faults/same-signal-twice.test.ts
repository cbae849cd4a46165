import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startTestDaemon } from '../helpers/test-daemon.ts';

it('a Ctrl-C that arrives twice, as it does under npm, is one clean stop', async () => {
  const daemon = await startTestDaemon({ config: {} });
  // Delays the stop. A signal during the last moments of a process would end it with the default action.
  const slow = connect(Number(new URL(daemon.ingressUrl).port), '127.0.0.1').on('error', () => {});
  await new Promise<void>((resolve) => slow.write('POST / HTTP/1.1\r\n', () => resolve()));
  process.kill(daemon.pid, 'SIGINT');
  // Two pending signals would be delivered as one.
  await delay(10);
  expect(await daemon.end('SIGINT')).toBe(0);
  expect(existsSync(join(daemon.dataDir, 'daemon.json'))).toBe(false);
});
