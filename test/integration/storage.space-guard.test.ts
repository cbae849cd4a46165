import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSpaceGuard, type DiskSpace } from '../../src/storage/sqlite/space-guard.ts';
import { useFolder } from '../helpers/with-storage.ts';

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const ROOMY: DiskSpace = { freeBytes: 50 * GIB, totalBytes: 100 * GIB };

describe('the guard of free space', () => {
  const folder = useFolder();
  const file = () => join(folder.path, 'dockbell.db');
  const ballast = () => `${file()}.ballast`;

  /** A guard over a disk and a clock that the test turns. */
  function guard(space: DiskSpace) {
    const disk = { ...space, looks: 0, nowMs: 0 };
    const measureSpace = () => {
      disk.looks += 1;
      return disk;
    };
    return { disk, guard: createSpaceGuard(file(), { measureSpace, monotonicMs: () => disk.nowMs }) };
  }

  it.each([
    ['just under 200 MiB of a large disk', 200 * MIB - 1, 100 * GIB, false],
    ['200 MiB of a large disk', 200 * MIB, 100 * GIB, true],
    ['just under 5 % of a small disk', 50 * MIB - 1, 1000 * MIB, false],
    ['5 % of a small disk', 50 * MIB, 1000 * MIB, true],
    ['nothing', 0, 100 * GIB, false],
  ])('decides about %s', (_, freeBytes, totalBytes, accepts) => {
    const { guard: space } = guard({ freeBytes, totalBytes });
    if (accepts) expect(() => space.check()).not.toThrow();
    else expect(() => space.check()).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
  });

  it('looks at the disk at most once a second, and sees then what has changed', () => {
    const { disk, guard: space } = guard(ROOMY);
    space.check();
    const { looks } = disk;
    disk.freeBytes = 0;
    disk.nowMs = 999;
    for (let batch = 0; batch < 1000; batch += 1) space.check();
    expect(disk.looks).toBe(looks);
    disk.nowMs = 1000;
    expect(() => space.check()).toThrow(expect.objectContaining({ code: 'storage_unavailable' }));
    disk.freeBytes = ROOMY.freeBytes;
    disk.nowMs = 2000;
    expect(() => space.check()).not.toThrow();
  });

  it('keeps 16 MiB that really take their room', () => {
    guard(ROOMY);
    const { size, blocks } = statSync(ballast());
    expect(size).toBe(16 * MIB);
    expect(blocks * 512).toBeGreaterThanOrEqual(16 * MIB);
    expect(readdirSync(folder.path)).toEqual(['dockbell.db.ballast']);
  });

  it('keeps the ballast that it finds, and makes a new one where it is cut short', () => {
    guard(ROOMY);
    const { ino } = statSync(ballast());
    guard(ROOMY);
    expect(statSync(ballast()).ino).toBe(ino);
    writeFileSync(ballast(), 'cut short');
    guard(ROOMY);
    expect(statSync(ballast()).size).toBe(16 * MIB);
  });

  it('gives the ballast up at once, and takes it again when there is room for it and more', () => {
    const { disk, guard: space } = guard(ROOMY);
    disk.freeBytes = 231 * MIB;
    space.releaseBallast();
    expect(existsSync(ballast())).toBe(false);
    space.check();
    expect(existsSync(ballast())).toBe(false);
    disk.freeBytes = 232 * MIB;
    disk.nowMs += 1000;
    space.check();
    expect(existsSync(ballast())).toBe(true);
  });

  it('takes no ballast where it would bring the shortage about', () => {
    guard({ freeBytes: 210 * MIB, totalBytes: 100 * GIB });
    expect(existsSync(ballast())).toBe(false);
  });

  it('refuses nothing where the disk cannot be measured', () => {
    const measureSpace = () => {
      throw new Error('ENOSYS');
    };
    expect(() => createSpaceGuard(file(), { measureSpace }).check()).not.toThrow();
  });

  it('measures the real disk', () => {
    expect(() => createSpaceGuard(file()).check()).not.toThrow();
  });
});
