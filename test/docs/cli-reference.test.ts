import { expect, it } from 'vitest';
import { renderCommands } from '../../scripts/cli-reference.ts';

it('docs/reference/cli.md explains every command of this version with examples and exit codes', async () => {
  const commands = await renderCommands();
  for (const command of ['serve', 'validate', 'secret update', 'delivery show', 'run cancel', 'filter test']) {
    expect(commands).toContain(`\`dockbell ${command}\``);
  }
  const leaves = commands.match(/^#+ `dockbell [^`]+`\n\n[^\n]+\n\n```\n/gm)?.length;
  expect(commands.match(/^Exit codes: 0 done;.* 2 wrong usage[^\n]*\.$/gm)).toHaveLength(leaves!);
});
