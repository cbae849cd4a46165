import { existsSync, readdirSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Logger } from '../../src/domain/ports/logger.ts';
import { createServiceNotifier } from '../../src/operations/systemd/service-notifier.ts';
import { locate, readDocument } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasNotifyPrograms, openNotifySocket } from '../helpers/notify-socket.ts';

const { PATH } = process.env;
const PID = process.pid;

function collectWarnings() {
  const warnings: unknown[] = [];
  const logger = { warn: (fields: unknown) => warnings.push(fields) } as unknown as Logger;
  return { logger, warnings };
}

describe.skipIf(!hasNotifyPrograms())('notifications of systemd', () => {
  const socket = openNotifySocket();
  const { logger, warnings } = collectWarnings();
  const notify = (more: Record<string, string> = {}) =>
    createServiceNotifier({ env: { PATH, NOTIFY_SOCKET: socket.path, ...more }, pid: PID, logger });
  const received = () => socket.messages.map(({ text }) => text);
  beforeAll(() => socket.open());
  beforeEach(() => void socket.messages.splice(0));

  it('arrive in the order of the calls', async () => {
    const before = process.hrtime.bigint() / 1_000n;
    const notifier = notify();
    notifier.ready();
    notifier.reloading();
    notifier.ready();
    notifier.extendTimeout(90_000);
    notifier.stopping();
    notifier.stopping();
    const after = process.hrtime.bigint() / 1_000n;
    await notifier.close();
    const [ready, reloading = '', ...rest] = received();
    expect([ready, ...rest]).toEqual(['READY=1', 'READY=1', 'EXTEND_TIMEOUT_USEC=90000000', 'STOPPING=1']);
    const [, monotonic = ''] = /^RELOADING=1\nMONOTONIC_USEC=(\d+)$/.exec(reloading) ?? [];
    expect(BigInt(monotonic)).toBeGreaterThanOrEqual(before);
    expect(BigInt(monotonic)).toBeLessThanOrEqual(after);
  });

  it('show the last of many statuses, on one line', async () => {
    const notifier = notify();
    for (let n = 1; n <= 50; n++) notifier.status(`pass ${n}`);
    notifier.status('done\nSTOPPING=1');
    await notifier.close();
    expect(received()).toEqual(['STATUS=pass 1', 'STATUS=done STOPPING=1']);
  });

  it('feed the watchdog of this process at half of its interval', async () => {
    const notifier = notify({ WATCHDOG_USEC: '400000', WATCHDOG_PID: String(PID) });
    await eventually(() => socket.messages.length >= 3);
    await notifier.close();
    const [first, , third] = socket.messages;
    expect(new Set(received())).toEqual(new Set(['WATCHDOG=1']));
    expect(third!.atMs - first!.atMs).toBeGreaterThan(300);
  });

  it('do not feed the watchdog of another process', async () => {
    const notifier = notify({ WATCHDOG_USEC: '20000', WATCHDOG_PID: String(PID + 1) });
    notifier.ready();
    await new Promise((resolve) => setTimeout(resolve, 100));
    await notifier.close();
    expect(received()).toEqual(['READY=1']);
  });

  it('warn once if nobody receives them', async () => {
    const notifier = notify({ NOTIFY_SOCKET: '/nonexistent/socket' });
    notifier.ready();
    notifier.stopping();
    await notifier.close();
    expect(warnings).toHaveLength(1);
    expect(JSON.stringify(warnings)).toContain('systemd-notify failed');
  });
});

describe('a notifier', () => {
  it('warns if systemd-notify is missing', async () => {
    const { logger, warnings } = collectWarnings();
    const notifier = createServiceNotifier({ env: { PATH: '/nonexistent', NOTIFY_SOCKET: '/s' }, pid: PID, logger });
    notifier.ready();
    await notifier.close();
    expect(JSON.stringify(warnings)).toContain('ENOENT');
  });

  it('does nothing without systemd', async () => {
    const { logger, warnings } = collectWarnings();
    const notifier = createServiceNotifier({ env: { PATH: '/nonexistent', WATCHDOG_USEC: '1000' }, pid: PID, logger });
    notifier.ready();
    notifier.status('a status');
    await notifier.close();
    expect(warnings).toEqual([]);
  });
});

it('every unit with Type=notify accepts messages of child processes', () => {
  const folder = locate('deploy/systemd/');
  const units = existsSync(folder) ? readdirSync(folder).map((name) => readDocument(`deploy/systemd/${name}`)) : [];
  for (const text of [...units, readDocument('docs/operations/running.md')]) {
    if (/^Type=notify/m.test(text)) expect(text).toMatch(/^NotifyAccess=all$/m);
  }
});
