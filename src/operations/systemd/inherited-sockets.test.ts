import { describe, expect, it } from 'vitest';
import type { Logger } from '../../domain/ports/logger.ts';
import { readInheritedSockets } from './inherited-sockets.ts';

const PID = 42;
const warnings: string[] = [];
const logger = { warn: (_: unknown, text: string) => warnings.push(text) } as unknown as Logger;
const read = (fds: string | undefined, names?: string, pid = '42') =>
  readInheritedSockets({ LISTEN_PID: pid, LISTEN_FDS: fds, LISTEN_FDNAMES: names }, PID, logger);

describe('sockets of systemd', () => {
  it.each([
    { title: 'none', fds: undefined, names: undefined, found: { ingress: [], admin: null } },
    { title: 'one without a name', fds: '1', names: undefined, found: { ingress: [3], admin: null } },
    { title: 'one with the name of its unit', fds: '1', names: 'hooks.socket', found: { ingress: [3], admin: null } },
    { title: 'only that of the admin listener', fds: '1', names: 'admin', found: { ingress: [], admin: 3 } },
    { title: 'all by name', fds: '3', names: 'admin:ingress:ingress', found: { ingress: [4, 5], admin: 3 } },
  ])('are found: $title', ({ fds, names, found }) => {
    expect(read(fds, names)).toEqual(found);
  });

  it.each([
    { title: 'two without names', fds: '2', names: undefined, problem: 'socket name "" is unknown' },
    { title: 'two of one unit without a name', fds: '2', names: 'a.socket:a.socket', problem: '"a.socket" is unknown' },
    { title: 'an unknown name among known ones', fds: '2', names: 'ingress:metrics', problem: '"metrics" is unknown' },
    { title: 'two for the admin listener', fds: '2', names: 'admin:admin', problem: 'the admin listener uses one' },
    { title: 'too few names', fds: '2', names: 'ingress', problem: 'does not have a name for each of 2 sockets' },
    { title: 'no number', fds: '1x', names: undefined, problem: 'LISTEN_FDS "1x" is not a number of sockets' },
  ])('are rejected: $title', ({ fds, names, problem }) => {
    expect(() => read(fds, names)).toThrow(problem);
  });

  it('are left to the process that LISTEN_PID names', () => {
    expect(read('1', 'ingress', '41')).toEqual({ ingress: [], admin: null });
    expect(warnings).toEqual(['sockets of systemd are for another process']);
  });
});
