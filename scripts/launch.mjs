// `npm start`, `npm test` and the other scripts of package.json begin here: `node scripts/launch.mjs TASK [ARG ...]` gets
// a current Node.js and the locked dependencies, then runs the task of scripts/tasks.mjs with them. Parsed by old
// versions of Node.js too, so its syntax stays old.
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

/** Runs this script again with `node`, first on the path of everything that it starts, and ends as that run ends. */
function continueWith(node) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
