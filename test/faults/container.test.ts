import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { CI_TOKEN, configureCiFactory, createCiRepository } from '../helpers/ci-factory.ts';
import { eventually } from '../helpers/eventually.ts';
import { hasProgram } from '../helpers/has-program.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import type { TempGitRepo } from '../helpers/temp-git-repo.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NPM = join(ROOT, 'test/providers/node_modules/npm-11');
const [BASE, NODE, IMAGE] = ['base', 'node', 'image'].map((name) => `localhost/dockbell-test-${name}`) as [
  string,
  string,
  string,
];
const NAME = `dockbell-test-${process.pid}`;
const UID = 10001;

// No registry of images is needed: debootstrap makes the base image, and the running Node.js with npm is the other one.
const canBuild = process.getuid?.() === 0 && hasProgram('podman') && hasProgram('debootstrap');

function podman(...args: string[]): string {
  return execFileSync('podman', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** Options that every container needs on this machine. The default runtime does not support each layout of cgroups. */
function chooseRuntime(): string[] {
  const options = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096', '--network', 'host'];
  const candidates = [options, ['--runtime', 'runc', ...options]];
  const works = (args: string[]) => spawnSync('podman', ['run', '--rm', ...args, BASE, '/bin/true']).status === 0;
  const found = candidates.find(works);
  if (found === undefined) throw new Error('podman cannot run a container on this machine');
  return found;
}

function buildBaseImages(): void {
  const folder = createTempDir('image');
  if (spawnSync('podman', ['image', 'exists', BASE]).status !== 0) {
    const debian = join(folder, 'debian');
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'trixie', debian]);
    execFileSync('/bin/sh', [
      '-c',
      'tar -C "$1" --exclude=./proc --exclude=./sys --exclude="./dev/*" -c . | podman import -q - "$2"',
      'sh',
      debian,
      BASE,
    ]);
  }
  const added = join(folder, 'added');
  mkdirSync(join(added, 'bin'), { recursive: true });
  cpSync(process.execPath, join(added, 'bin/node'));
  cpSync(NPM, join(added, 'lib/node_modules/npm'), { recursive: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(added, 'bin/npm'));
  const authorities = process.env.NODE_EXTRA_CA_CERTS;
  if (authorities !== undefined) cpSync(authorities, join(added, 'etc/authorities.pem'));
  const env = authorities === undefined ? '' : 'ENV NODE_EXTRA_CA_CERTS=/usr/local/etc/authorities.pem\n';
  writeFileSync(join(folder, 'Dockerfile'), `FROM ${BASE}\nCOPY added /usr/local\n${env}`);
  podman('build', '--isolation', 'chroot', '-t', NODE, folder);
}

function buildImage(): void {
  const images = ['--build-arg', `NODE_IMAGE=${NODE}`, '--build-arg', `BASE_IMAGE=${BASE}`];
  podman('build', '--isolation', 'chroot', '--network', 'host', '--format', 'docker', ...images, '-t', IMAGE, '.');
}

/** Two ports that nobody uses now. */
async function findPorts(): Promise<number[]> {
  const servers = [createServer(), createServer()];
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  for (const server of servers) server.close();
  return ports;
}

describe.runIf(canBuild)('the container image', () => {
  let repo: TempGitRepo;
  let dataDir: string;
  let ingress: string;
  let admin: string;

  beforeAll(async () => {
    buildBaseImages();
    const runtime = chooseRuntime();
    buildImage();
    const folder = createTempDir('container');
    chmodSync(folder, 0o755);
    dataDir = join(folder, 'data');
    mkdirSync(dataDir);
    repo = await createCiRepository();
    const config = configureCiFactory({ ...repo, path: '/factory' }, ['/bin/cat']);
    writeFileSync(join(folder, 'dockbell.yaml'), stringify(config));
    cpSync(repo.path, join(folder, 'factory'), { recursive: true });
    execFileSync('chown', ['-R', `${UID}:${UID}`, dataDir, join(folder, 'factory')]);
    const [ingressPort, adminPort] = await findPorts();
    ingress = `http://127.0.0.1:${ingressPort}`;
    admin = `http://127.0.0.1:${adminPort}/api/v1`;
    const mounts = [
      `${dataDir}:/var/lib/dockbell`,
      `${folder}/dockbell.yaml:/etc/dockbell/dockbell.yaml:ro`,
      `${folder}/factory:/factory:ro`,
    ].flatMap((mount) => ['--volume', mount]);
    const ports = [`DOCKBELL_INGRESS_PORT=${ingressPort}`, `DOCKBELL_ADMIN_PORT=${adminPort}`];
    const hardened = ['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
    podman(
      'create',
      '--name',
      NAME,
      ...runtime,
      ...hardened,
      ...mounts,
      ...ports.flatMap((port) => ['--env', port]),
      IMAGE,
    );
  }, 900_000);

  afterAll(() => {
    spawnSync('podman', ['rm', '--force', NAME]);
    repo?.remove();
  });

  async function start(): Promise<void> {
    podman('start', NAME);
    await eventually(async () => (await fetch(`${ingress}/readyz`).catch(() => null))?.ok === true, 60_000);
  }

  const inside = (...args: string[]) => spawnSync('podman', ['exec', NAME, ...args], { encoding: 'utf8' });

  async function api(path: string, init: RequestInit = {}): Promise<{ data: { uid?: string }[] }> {
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${admin}${path}`, { ...init, headers });
    return (await answer.json()) as { data: { uid?: string }[] };
  }

  /** Stops the container and returns the exit code of the daemon. */
  function stop(): string {
    podman('stop', '--time', '60', NAME);
    return podman('inspect', '--format', '{{.State.ExitCode}}', NAME).trim();
  }

  it('serves as a user without privileges on a read-only file system, with tini as process 1', async () => {
    await start();
    expect(inside('id', '-u').stdout.trim()).toBe(String(UID));
    expect(inside('cat', '/proc/1/comm').stdout.trim()).toBe('tini');
    expect(inside('touch', '/opt/dockbell/x').stderr).toContain('Read-only file system');
    expect(podman('healthcheck', 'run', NAME)).toBe('');
  });

  it('contains git, ssh and certificates, and no npm, compiler or Python', () => {
    for (const program of ['git', 'ssh', 'node', 'dockbell']) expect(inside('which', program).status, program).toBe(0);
    for (const program of ['npm', 'cc', 'make', 'python3'])
      expect(inside('which', program).status, program).not.toBe(0);
    expect(inside('test', '-s', '/etc/ssl/certs/ca-certificates.crt').status).toBe(0);
    expect(inside('ls', '/opt/dockbell/node_modules/better-sqlite3/prebuilds').stdout).toMatch(/^linux-\w+\.node\n$/);
  });

  it('loses nothing between a SIGTERM and the next start', async () => {
    await api('/secrets/CI_SECRET', { method: 'PUT', body: JSON.stringify({ value: CI_TOKEN }) });
    const uid = await eventually(async () => (await api('/factories/payments/webhooks')).data?.[0]?.uid);
    const send = () =>
      fetch(`${ingress}/webhooks/w/${uid}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${CI_TOKEN}` },
        body: JSON.stringify({ start: true, at: performance.now() }),
      });
    const countRuns = async () => (await api('/factories/payments/runs?state=succeeded')).data.length;
    expect((await send()).status).toBe(202);
    await eventually(async () => (await countRuns()) === 2);
    expect(inside('dockbell', 'run', 'list', '--json').stdout).toContain('"succeeded"');

    expect(stop()).toBe('0');
    expect(podman('logs', NAME)).toContain('daemon stopped');
    await start();
    expect(await countRuns()).toBe(2);
    expect((await send()).status).toBe(202);
    await eventually(async () => (await countRuns()) === 4);
    expect(stop()).toBe('0');
    expect(existsSync(join(dataDir, 'daemon.json'))).toBe(false);
  });
});
