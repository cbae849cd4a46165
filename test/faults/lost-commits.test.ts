import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('passes the contract of the storage while each write on PostgreSQL loses the answer to its COMMIT', async () => {
  const args = ['node_modules/vitest/vitest.mjs', 'run', 'test/contract/'];
  const env = { ...process.env, NO_COLOR: '1', DOCKBELL_LOST_COMMITS: '1' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
  const code = await new Promise((resolve) => child.once('close', resolve));
  const output = Buffer.concat(chunks).toString('utf8');
  expect(code, output.slice(-20_000)).toBe(0);
  expect(output).toMatch(/Tests +\d{3,} passed/);
});
