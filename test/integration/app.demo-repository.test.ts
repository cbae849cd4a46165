import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ensureDemoRepository } from '../../src/cli/demo/demo-repository.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { runTestGit } from '../helpers/temp-git-repo.ts';

const EXAMPLE = join(import.meta.dirname, '../../example-factory');
const { PATH } = process.env;

it.runIf(process.platform === 'linux')('the demo repository reports that no folder can be created', async () => {
  await expect(ensureDemoRepository(EXAMPLE, '/proc/dockbell/factory', { PATH })).rejects.toMatchObject({
    code: 'config_invalid',
    message: expect.stringContaining('no folders can be created there; choose another folder'),
  });
});

it('the demo repository takes commits of a user who has no git identity, and stays as the user left it', async () => {
  const folder = join(createTempDir('demo'), 'deep', 'factory');
  const git = (...args: string[]) => runTestGit(folder, args, { hasIdentity: false });
  await ensureDemoRepository(EXAMPLE, folder, { PATH });
  expect(await git('status', '--porcelain', '--branch')).toBe('## main');
  appendFileSync(join(folder, 'factory.yaml'), '# changed\n');
  await git('-c', 'user.useConfigOnly=true', 'commit', '--quiet', '--all', '--message=Change it');
  await ensureDemoRepository(EXAMPLE, folder, { PATH });
  expect(await git('log', '--format=%an <%ae> %s')).toBe(
    ['Change it', 'The example factory']
      .map((subject) => `Dockbell demo <demo@dockbell.invalid> ${subject}`)
      .join('\n'),
  );
});
