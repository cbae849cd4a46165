import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { simpleGit } from 'simple-git';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyWorkTree } from '../helpers/copy-work-tree.ts';
import { canOpenChromium, openChromium } from '../helpers/open-chromium.ts';
import { startStaticHost } from '../helpers/static-host.ts';
import { createTempDir } from '../helpers/temp-dir.ts';

const BASE = '/dockbell/';

/** A repository with releases: one without a site, two patches of 9.1, a prerelease, and 9.2 with one page more. */
async function createReleases(): Promise<string> {
  const folder = await copyWorkTree();
  const git = simpleGit(folder);
  await git.init();
  await git.addConfig('user.name', 'Releaser').addConfig('user.email', 'releaser@dockbell.invalid');
  const release = async (...tags: string[]) => {
    await git.add('.');
    await git.commit('Release', { '--allow-empty': null });
    for (const tag of tags) await git.tag([tag]);
  };
  const settings = readFileSync(join(folder, 'site/settings.mjs'));
  rmSync(join(folder, 'site/settings.mjs'));
  await release('v0.1.0');
  writeFileSync(join(folder, 'site/settings.mjs'), settings);
  await release('v9.1.2', 'v9.1.10');
  const index = join(folder, 'docs/README.md');
  writeFileSync(join(folder, 'docs/guides/novelty.md'), '# Novelty\n\nNew in 9.2.\n');
  writeFileSync(
    index,
    readFileSync(index, 'utf8').replace('- [Editors]', '- [Novelty](guides/novelty.md): new\n- [Editors]'),
  );
  await release('v9.2.0-rc.1', 'v9.2.0');
  return folder;
}

describe.skipIf(!canOpenChromium())('the documentation on a web host', { tags: 'full' }, () => {
  let page: Page;
  let output: string;
  let host: Awaited<ReturnType<typeof startStaticHost>>;
  beforeAll(async () => {
    const clone = await createReleases();
    output = join(createTempDir('public'), 'site');
    const script = ['scripts/build-public-docs.mjs', '--base', BASE.slice(0, -1), '--output', output];
    execFileSync(process.execPath, script, { cwd: clone, stdio: 'pipe' });
    expect((await simpleGit(clone).raw(['worktree', 'list'])).trim().split('\n')).toHaveLength(1);
    host = await startStaticHost(output, BASE);
    page = await (await openChromium()).newPage();
  }, 600_000);
  afterAll(() => Promise.all([page?.close(), host?.close()]));

  it('has a folder for the latest patch of each minor version, and one for main', () => {
    const folders = ['9.1.10', '9.2.0', 'main'];
    expect(readdirSync(output).sort()).toEqual(['404.html', ...folders, 'index.html', 'versions.json'].sort());
    const versions = JSON.parse(readFileSync(join(output, 'versions.json'), 'utf8')) as { version: string }[];
    expect(versions.map(({ version }) => version)).toEqual(['9.2.0', '9.1.10', 'main']);
    expect(readFileSync(join(output, '9.1.10/llms.txt'), 'utf8')).toContain(`](${BASE}9.1.10/guides/plan.md)`);
    expect(existsSync(join(output, '9.1.10/index.html.gz'))).toBe(false);
  });

  it('leads from the root to the latest version, and from there to the same page of another version', async () => {
    await page.goto(host.url);
    await page.waitForURL('**/dockbell/9.2.0/');
    const menu = page.getByRole('combobox', { name: 'Version' });
    await expect.poll(() => menu.locator('option').allTextContents()).toEqual(['v9.2.0', 'v9.1.10', 'main']);
    expect(await menu.inputValue()).toBe('9.2.0');
    await page.goto(`${host.url}9.2.0/guides/plan`);
    await expect.poll(() => menu.locator('option').count()).toBe(3);
    await menu.selectOption('9.1.10');
    await page.waitForURL('**/dockbell/9.1.10/guides/plan');
    await page.getByRole('heading', { level: 1, name: 'Planning changes' }).waitFor();
    await expect.poll(() => menu.inputValue()).toBe('9.1.10');
  });

  it('leads to the first page of a version that does not have the page', async () => {
    await page.goto(`${host.url}9.2.0/guides/novelty`);
    const menu = page.getByRole('combobox', { name: 'Version' });
    await expect.poll(() => menu.locator('option').count()).toBe(3);
    await menu.selectOption('9.1.10');
    await page.waitForURL('**/dockbell/9.1.10/');
  });
});
