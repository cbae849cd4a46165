#!/usr/bin/env node
// Replaces docker and podman in tests: `run`, `ps`, `kill` and `rm` as the executor uses them. A "container" is a process in
// another session with the environment and the volume of its arguments, so that it outlives a client that is killed. Like
// a real engine, it stores a container before it starts its process.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const bin = dirname(fileURLToPath(import.meta.url));
/** A folder per container, named after its ID, with its `record` and the `pid` of its process. */
const state = join(bin, 'containers');
const STOP_MS = 10_000;
const [command, ...args] = process.argv.slice(2);
mkdirSync(state, { recursive: true });
appendFileSync(join(bin, 'calls.jsonl'), `${JSON.stringify([command, ...args])}\n`);

const readOption = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);

function listContainers() {
  const ids = readdirSync(state).filter((id) => !id.startsWith('.'));
  return ids.flatMap((id) => {
    try {
      return [{ id, labels: JSON.parse(readFileSync(join(state, id, 'record'), 'utf8')) }];
    } catch {
      return []; // It has been removed in the meantime.
    }
  });
}

/** The name is reserved and the record complete in one step. */
function store(name, labels) {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 12);
  const prepared = join(state, `.${id}-${process.pid}`);
  mkdirSync(prepared);
  writeFileSync(join(prepared, 'record'), JSON.stringify(labels));
  try {
    renameSync(prepared, join(state, id));
  } catch {
    rmSync(prepared, { recursive: true });
    fail(`the container name ${name} is already in use`);
  }
  return join(state, id);
}

async function run() {
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
  while (existsSync(join(bin, 'pulling'))) await wait(20);
  const folder = store(readOption('name'), labels);
  const [source] = readOption('volume').split(':');
  const env = { PATH: process.env.PATH, IMAGE: image, ...variables };
  // A container that is removed before this starts nothing: its folder no longer exists.
  const start = ['-c', 'echo $$ > "$0/pid" && exec "$@"', folder, ...inside];
  const child = spawn('/bin/sh', start, { cwd: source, env, stdio: 'inherit', detached: true });
  // Without --init, the first process of a container gets the signals of the client.
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    rmSync(folder, { recursive: true, force: true });
    process.exit(signal === null ? code : 137);
  });
}

function fail(message) {
  process.stderr.write(`Error: ${message}\n`);
  process.exit(125);
}

/** Sends a signal to the processes of a container; 0 only asks. Returns false if none is left. */
function signal(folder, name) {
  try {
    process.kill(-Number(readFileSync(join(folder, 'pid'), 'utf8')), name);
    return true;
  } catch {
    return false;
  }
}

/** As `podman rm --force`: SIGTERM, and SIGKILL after 10 s. */
async function remove(id) {
  const removed = join(state, `.${id}-${process.pid}`);
  try {
    renameSync(join(state, id), removed);
  } catch {
    return;
  }
  signal(removed, 'SIGTERM');
  for (let waited = 0; waited < STOP_MS && signal(removed, 0); waited += 20) await wait(20);
  signal(removed, 'SIGKILL');
  rmSync(removed, { recursive: true });
}

/** Podman without root keeps processes for all containers, with the environment of the command that needs one first. */
function startHelper(name) {
  const pidFile = join(bin, `helper-${name}`);
  if (!existsSync(join(bin, 'with-helpers')) || existsSync(pidFile)) return;
  const helper = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  helper.unref();
  writeFileSync(pidFile, String(helper.pid));
}

if (existsSync(join(bin, 'broken'))) fail('the engine does not answer');
if (command !== '--version') startHelper('namespaces');
if (command === 'run') startHelper('network');
if (command === 'run') await run();
else if (command === 'ps') {
  const wanted = args.filter((arg) => arg.startsWith('label=')).map((arg) => arg.slice('label='.length));
  for (const { id, labels } of listContainers()) {
    if (wanted.every((label) => labels.includes(label))) process.stdout.write(`${id}\n`);
  }
} else if (command === 'kill') {
  const killed = args.map((id) => signal(join(state, id), 'SIGKILL'));
  if (killed.includes(false)) fail('can only kill running containers');
} else if (command === 'rm') await Promise.all(args.filter((arg) => !arg.startsWith('-')).map(remove));
else fail(`unknown command ${command}`);
