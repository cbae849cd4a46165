import { describe, expect, it } from 'vitest';
import { SECRET_NAME_PATTERN, WEBHOOK_NAME_PATTERN } from './names.ts';

describe('names', () => {
  it.each(['a', 'internal-ci', 'A.b_c-1', '9', 'x'.repeat(100)])('webhook name %s is good', (name) =>
    expect(name).toMatch(WEBHOOK_NAME_PATTERN),
  );

  it.each(['', '-a', '.a', '_a', 'a b', 'a/b', 'ä', 'a\n', 'x'.repeat(101)])('webhook name %j is bad', (name) =>
    expect(name).not.toMatch(WEBHOOK_NAME_PATTERN),
  );

  it.each(['A', '_', 'a1_B', 'x'.repeat(128)])('secret name %s is good', (name) =>
    expect(name).toMatch(SECRET_NAME_PATTERN),
  );

  it.each(['', '1A', 'A-B', 'A B', 'A\n', 'Ä', 'x'.repeat(129)])('secret name %j is bad', (name) =>
    expect(name).not.toMatch(SECRET_NAME_PATTERN),
  );
});
