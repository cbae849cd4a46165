import { describe, expect, it } from 'vitest';
import { createHostCheck } from './check-host.ts';

describe('the check of the Host header', () => {
  it('rejects a missing and an empty one', () => {
    const isAllowed = createHostCheck([]);
    expect([isAllowed(undefined), isAllowed('')]).toEqual([false, false]);
  });

  it('takes an allowed name with any port, and an allowed name and port with that port only', () => {
    const isAllowed = createHostCheck(['Dockbell.Example.com', 'other.example:8443']);
    expect(isAllowed('dockbell.example.com')).toBe(true);
    expect(isAllowed('DOCKBELL.example.com:1')).toBe(true);
    expect(isAllowed('other.example:8443')).toBe(true);
    expect(isAllowed('other.example:80')).toBe(false);
    expect(isAllowed('other.example')).toBe(false);
  });
});
