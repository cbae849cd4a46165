import { expect, it } from 'vitest';
import { generatePassword } from './generate-password.ts';

it('generates unique passwords from all 32 characters', () => {
  const passwords = Array.from({ length: 200 }, generatePassword);
  for (const password of passwords) expect(password).toMatch(/^(?:[a-km-np-z2-9]{4}-){4}[a-km-np-z2-9]{4}$/);
  expect(new Set(passwords).size).toBe(200);
  expect(new Set(passwords.join('').replaceAll('-', '')).size).toBe(32);
});
