import { describe, expect, it } from 'vitest';
import { findCurrentNode, isCurrent } from '../../scripts/current-node.mjs';

describe('the Node.js that a clone runs on', () => {
  it.each([
    ['20.20.2', false],
    ['22.21.9', false],
    ['22.22.0', true],
    ['24.0.0', true],
    ['26.1.0', true],
  ])('%s is current: %s', (version, expected) => {
    expect(isCurrent(version)).toBe(expected);
  });

  it('is the running one if that is current', () => {
    expect(findCurrentNode({ version: '22.22.0', platform: 'sunos-sparc' })).toBe(process.execPath);
  });

  it('is to be installed by hand if no package of it exists for the platform', () => {
    expect(() => findCurrentNode({ version: '20.20.2', platform: 'linux-x64-musl' })).toThrow(
      'Dockbell needs Node.js 22.22 or newer, and this is 20.20.2. No npm package of Node.js exists for linux-x64-musl: install Node.js 24 from nodejs.org.',
    );
  });
});
