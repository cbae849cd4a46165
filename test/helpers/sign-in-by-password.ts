import type { Page } from 'playwright-core';
import type { TestDaemon } from './test-daemon.ts';

/** Signs a fresh page in on the sign-in page, as a person with a password does. */
export async function signInByPassword(page: Page, daemon: TestDaemon, name: string, password: string): Promise<void> {
  await page.goto(daemon.adminUrl);
  await page.getByRole('textbox', { name: 'User name' }).fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
}
