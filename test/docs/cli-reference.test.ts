import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { renderCliReference } from '../../scripts/cli-reference.ts';

describe('docs/reference/cli.md', () => {
  it('is the output of scripts/generate-cli-docs.ts', async () => {
    const page = await readFile(new URL('../../docs/reference/cli.md', import.meta.url), 'utf8');
    expect(page).toBe(await renderCliReference());
  });

  it('explains every command of this version with examples and exit codes', async () => {
    const page = await renderCliReference();
    for (const command of ['serve', 'validate', 'secret update', 'delivery show', 'run cancel', 'filter test']) {
      expect(page).toContain(`\`dockbell ${command}\``);
    }
    const leaves = page.match(/^#+ `dockbell [^`]+`\n\n[^\n]+\n\n```\n/gm)?.length;
    expect(page.match(/^Exit codes: 0 done;.* 2 wrong usage[^\n]*\.$/gm)).toHaveLength(leaves!);
  });
});
