// Entry point of `npm start`, `npm test` and the other scripts of package.json: `node scripts/launch.mjs TASK [ARG ...]`
// provides a current Node.js and the locked dependencies, then runs the task of scripts/tasks.mjs. Old versions of Node.js
// must be able to parse this file, so it uses only old syntax.
import { spawn } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findCurrentNode } from './current-node.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

try {
  const node = findCurrentNode();
  if (node === process.execPath) {
    const { runTask } = await import('./tasks.mjs');
    process.exitCode = await runTask(process.argv[2], process.argv.slice(3));
  } else {
    continueWith(node);
  }
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}

/** Runs this script again with `node`, which is also first on the PATH of its child processes. Exits with the same code. */
function continueWith(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
