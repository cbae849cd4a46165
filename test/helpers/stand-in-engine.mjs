#!/usr/bin/env node
// Replaces docker and podman in tests: `run`, `ps` and `rm` as the executor uses them. A "container" is a process in another
// session with the environment and the volume of its arguments, so that it outlives a client that is killed.
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const state = join(dirname(fileURLToPath(import.meta.url)), 'containers');
const [command, ...args] = process.argv.slice(2);
mkdirSync(state, { recursive: true });
appendFileSync(join(state, '..', 'calls.jsonl'), `${JSON.stringify([command, ...args])}\n`);

const readOption = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

function list() {
  return readdirSync(state).map((id) => ({ id, ...JSON.parse(readFileSync(join(state, id), 'utf8')) }));
}

function run() {
  const name = readOption('name');
  if (list().some((container) => container.name === name)) fail(`the container name ${name} is already in use`);
  const variables = {};
  const labels = [];
  let at = 0;
  for (; at < args.length && args[at].startsWith('-'); at++) {
    if (args[at].startsWith('--label=')) labels.push(args[at].slice('--label='.length));
    if (args[at].startsWith('--env=')) {
      const [key, ...value] = args[at].slice('--env='.length).split('=');
      variables[key] = value.join('=');
    }
    if (args[at] === '--env') variables[args[++at]] = process.env[args[at]];
  }
  const [image, ...inside] = args.slice(at);
  if (image.includes('missing')) fail(`no such image: ${image}`);
  const [source] = readOption('volume').split(':');
  const env = { PATH: process.env.PATH, IMAGE: image, ...variables };
  const child = spawn(inside[0], inside.slice(1), { cwd: source, env, stdio: 'inherit', detached: true });
  const id = String(child.pid).padStart(12, '0');
  writeFileSync(join(state, id), JSON.stringify({ name, labels, pid: child.pid }));
  // Without --init, the first process of a container gets the signals of the client.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    rmSync(join(state, id), { force: true });
    process.exit(signal === null ? code : 137);
  });
}

function fail(message) {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(125);
}

function remove(ids) {
  for (const { id, pid } of list().filter((container) => ids.includes(container.id))) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {}
    rmSync(join(state, id), { force: true });
  }
}

if (existsSync(join(state, '..', 'broken'))) fail('the engine does not answer');
if (command === '--version') process.stdout.write('engine 1.0\n');
else if (command === 'run') run();
else if (command === 'ps') {
  const label = args.at(-1).replace(/^label=/, '');
  for (const { id, labels } of list()) if (labels.includes(label)) process.stdout.write(`${id}\n`);
} else if (command === 'rm') remove(args);
else fail(`unknown command ${command}`);
