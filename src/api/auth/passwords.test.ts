import { describe, expect, it } from 'vitest';
import { createPasswords } from './passwords.ts';

const ANY_GUESS = { before: () => undefined, after: () => undefined };

describe('passwords', () => {
  it('are hashed with argon2id as OWASP asks', async () => {
    expect(await createPasswords().hash('correct horse battery')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('verifies a hash that version 0.1.0 stored with the argon2 package', async () => {
    const stored = '$argon2id$v=19$m=19456,p=1,t=2$05UQxI9gtWVOf8R4/B0AbQ$FEwI5DhgB1eNYgXeDhTeb8xvN1TBCBJAmBhv7t6/VyI';
    const passwords = createPasswords();
    expect(await passwords.verify(stored, 'correct horse battery staple', ANY_GUESS)).toBe(true);
    expect(await passwords.verify(stored, 'correct horse battery stable', ANY_GUESS)).toBe(false);
  });
});
