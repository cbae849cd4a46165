import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../domain/time/clock.ts';
import { createExecutor } from './create-executor.ts';
import { appendAttempts } from './log/open-run-log.ts';

const LOGGER = { info: () => {}, warn: () => {}, error: () => {}, child: () => LOGGER };
const PARTS = {
  factory: 'payments',
  timeoutMs: 1000,
  runsDir: tmpdir(),
  openOutput: appendAttempts(tmpdir(), systemClock),
  startRecords: { create: async () => true, exists: async () => false, delete: async () => {} },
  searchPath: '/usr/bin:/bin',
  maskOutput: () => {
    throw new Error('no run starts here');
  },
  secrets: { resolve: async () => ({ outcome: 'missing' as const }) },
  checkOut: async () => ({ ok: true, dir: null }) as const,
  signWebhook: () => ({}),
  openReports: () => Promise.reject(new Error('no run is executed')),
  clock: { wallMs: () => 0, monotonicMs: () => 0 },
  logger: LOGGER,
};

describe('createExecutor', () => {
  it('creates the executor that the configuration names, with the type that its runs store', async () => {
    const executor = await createExecutor({ type: 'command', command: ['sh'], user: null }, PARTS);
    expect(executor?.type).toBe('command');
    expect(await createExecutor({ type: 'queue' }, PARTS)).toBeNull();
  });
});
