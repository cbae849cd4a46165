import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { locate } from '../helpers/documents.ts';
import { eventually } from '../helpers/eventually.ts';
import { installStandInEngine, type StandInEngine } from '../helpers/stand-in-engine.ts';
import { createTempDir } from '../helpers/temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from '../helpers/temp-git-repo.ts';
import { startDaemonHere, type TestDaemon } from '../helpers/test-daemon.ts';

const EXAMPLES = readdirSync(locate('examples'));
const TOKEN = 'a-token-of-more-than-16-characters';
/** What no program may get as an argument, or on standard input. */
const MARK = 'a payload that says $(touch /tmp/owned)';

/** Records how it was called. Exits with the code in the payload. */
const STAND_IN = `#!/bin/sh
name=$(basename "$0")
printf '%s\\n' "$@" > "RECORDS/$name.args"
cat > "RECORDS/$name.stdin"
env > "RECORDS/$name.env"
cp event-payload.json "RECORDS/$name.payload"
echo "output of $name"
test "$name" = aider && echo "the note" > note.md
exit "$(sed 's/.*"exit":\\([0-9]*\\).*/\\1/' event-payload.json)"
`;

const records = createTempDir('example-records');
const programs = createTempDir('example-programs');
let repo: TempGitRepo;
let daemon: TestDaemon;
let engine: StandInEngine;
let github: Server;
let dispatched: { url: string | undefined; authorization: string | undefined; body: Record<string, unknown> }[];
let githubStatus = 204;

const record = (name: string) => readFileSync(join(records, name), 'utf8');
const readExample = (path: string) => readFileSync(locate(`examples/${path}`), 'utf8');

beforeAll(async () => {
  for (const name of ['claude', 'codex', 'gemini', 'aider']) {
    writeFileSync(join(programs, name), STAND_IN.replaceAll('RECORDS', records));
    chmodSync(join(programs, name), 0o755);
  }
  dispatched = [];
  github = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    dispatched.push({ url: request.url, authorization: request.headers.authorization, body: JSON.parse(text) });
    response.writeHead(githubStatus).end();
  }).listen(0, '127.0.0.1');
  await new Promise((done) => github.once('listening', done));
  repo = await createTempGitRepo();
  await repo.commit(Object.assign({}, ...EXAMPLES.map(declareFactory)));
  engine = installStandInEngine(createTempDir('example-engine'));
  const env = { PATH: `${programs}:${engine.bin}:${process.env.PATH}` };
  daemon = await startDaemonHere({ config: { factories: EXAMPLES.map(configure) }, env });
  const secrets = EXAMPLES.flatMap((name) => declared(name).secrets ?? []);
  for (const name of ['INTERNAL_CI_WEBHOOK_SECRET', ...secrets]) {
    const { code, stderr } = await daemon.cli('secret', 'create', name, '--all-factories', '--value', TOKEN);
    expect([code, stderr]).toEqual([0, '']);
  }
}, 120_000);

afterAll(async () => {
  github.close();
  expect(await daemon.end('SIGTERM')).toBe(0);
  repo.remove();
});

const declared = (example: string) => parse(readExample(`${example}/automation.md`).split('---\n')[1]!);

/** Each example in a folder of one repository, with the webhook of the example factory. */
function declareFactory(example: string): Record<string, string> {
  return {
    [`${example}/webhooks/internal-ci.yaml`]: readFileSync(locate('example-factory/webhooks/internal-ci.yaml'), 'utf8'),
    [`${example}/automations/triage/automation.md`]: readExample(`${example}/automation.md`),
  };
}

/** The configuration of the example: only the repository, and the host of GitHub, are those of this test. */
function configure(example: string) {
  const { factories } = parse(readExample(`${example}/dockbell.yaml`));
  const [factory] = factories;
  const { port } = github.address() as AddressInfo;
  const command = factory.runs.executor.command?.map((part: string) =>
    part.startsWith('./')
      ? resolve(fileURLToPath(locate(`examples/${example}`)), part)
      : part.replace('https://api.github.com', `http://127.0.0.1:${port}`),
  );
  const source = { type: 'repository', url: repo.path, path: example };
  const executor = { ...factory.runs.executor, ...(command === undefined ? {} : { command }) };
  return { ...factory, name: example, source, runs: { ...factory.runs, executor } };
}

/** A delivery for an example. Resolves with its run when it has ended. */
async function execute(example: string, payload: object) {
  const webhook = await eventually(async () => (await daemon.api(`/factories/${example}/webhooks`)).body.data?.[0]);
  const headers = { authorization: `Bearer ${TOKEN}` };
  const body = JSON.stringify({ status: 'failed', branch: 'main', n: Math.random(), text: MARK, ...payload });
  expect((await fetch(webhook.ingress_url, { method: 'POST', headers, body })).status).toBe(202);
  const run = await eventually(async () => {
    const [newest] = (await daemon.api(`/factories/${example}/runs?limit=1`)).body.data;
    const isOver = ['succeeded', 'failed', 'cancelled'].includes(newest?.state) || newest?.attempt > 1;
    return isOver ? newest : undefined;
  }, 60_000);
  return { run, body, log: (await daemon.api(`/runs/${run.id}/log`)).body as string };
}

describe('the example', { timeout: 120_000 }, () => {
  it.each([
    ['claude-code', 'claude', ['--print', '--allowedTools', 'Read,Glob,Grep'], 'ANTHROPIC_API_KEY'],
    ['codex', 'codex', ['exec', '--sandbox', 'read-only', '-'], 'CODEX_API_KEY'],
    ['gemini-cli', 'gemini', ['--approval-mode', 'default'], 'GEMINI_API_KEY'],
  ])(
    '%s gives the prompt to %s on standard input, and the payload as a file',
    { tags: 'full' },
    async (example, program, args, secret) => {
      const { run, body, log } = await execute(example, { exit: 0 });
      expect([run.error, run.state, log]).toEqual([null, 'succeeded', `output of ${program}\n`]);
      expect(record(`${program}.stdin`)).toMatch(/^A build has failed\. [\s\S]*\n---\n[\s\S]*`event-payload\.json`/);
      expect(record(`${program}.args`).split('\n')).toEqual(expect.arrayContaining(args));
      expect(record(`${program}.args`) + record(`${program}.stdin`)).not.toContain('touch');
      expect(record(`${program}.payload`)).toBe(body);
      expect(record(`${program}.env`)).toContain(`${secret}=${TOKEN}\n`);
      expect(await execute(example, { exit: 42 })).toMatchObject({
        run: { attempts: [expect.objectContaining({ state: 'failed', exit_code: 42 })] },
      });
    },
  );

  it('container executes its command in a container without a network', { tags: 'full' }, async () => {
    const { run, body, log } = await execute('container', {});
    expect([run.error, run.state]).toEqual([null, 'succeeded']);
    expect(log).toMatch(/^A build has failed\. [\s\S]*`event-payload\.json`/);
    expect(Number(log.trimEnd().split('\n').at(-1))).toBe(Buffer.byteLength(body));
    const start = engine.calls().find(([command]) => command === 'run');
    expect(start).toEqual(expect.arrayContaining(['run', '--network=none', 'docker.io/library/alpine:3.22']));
    expect(start!.join(' ')).not.toContain('touch');
    expect(engine.containers()).toEqual([]);
  });

  it('aider gives aider the prompt and the payload as files, and prints the note', { tags: 'full' }, async () => {
    const { run, body, log } = await execute('aider', { exit: 0 });
    expect([run.state, log]).toEqual(['succeeded', 'output of aider\nthe note\n']);
    const args = record('aider.args').split('\n');
    expect(args).toEqual(expect.arrayContaining(['--message-file', 'prompt.md', '--read', 'event-payload.json']));
    expect([record('aider.payload'), record('aider.env')]).toEqual([body, expect.stringContaining(`OPENAI_API_KEY=`)]);
    expect((await execute('aider', { exit: 3 })).run).toMatchObject({ state: 'failed', exit_code: 3 });
  });

  it('github-dispatch starts a workflow with the delivery, and is not retried if GitHub rejects it', {
    tags: 'full',
  }, async () => {
    const { run, body } = await execute('github-dispatch', {});
    expect(run.state).toBe('succeeded');
    expect(dispatched).toMatchObject([
      {
        url: '/repos/acme/payments/dispatches',
        authorization: `Bearer ${TOKEN}`,
        body: {
          event_type: 'dockbell-run',
          client_payload: { run_id: run.id, automation: 'triage', payload: JSON.parse(body) },
        },
      },
    ]);
    expect(dispatched[0]!.body.client_payload).toHaveProperty('prompt', expect.stringMatching(/^Find out which step/));
    githubStatus = 404;
    expect((await execute('github-dispatch', {})).run).toMatchObject({ state: 'failed', exit_code: 78, attempt: 1 });
    githubStatus = 503;
    const { run: retried } = await execute('github-dispatch', { text: 'x'.repeat(60_000) });
    expect(retried).toMatchObject({ state: 'queued', attempt: 2, attempts: [{ exit_code: 1 }, { state: 'queued' }] });
    expect(dispatched.at(-1)!.body.client_payload).toMatchObject({ payload: null });
  });

  it('script reads the payload, and writes a summary', { tags: 'full' }, async () => {
    const { run, body, log } = await execute('script', {});
    expect(log).toBe(`triage: a delivery of internal-ci with ${Buffer.byteLength(body)} bytes\n`);
    expect(run.result.summary).toBe(`Checked a delivery of ${Buffer.byteLength(body)} bytes.`);
  });
});

it('each example has a test, a README and a row in the guide', { tags: 'full' }, () => {
  const guide = readFileSync(locate('docs/guides/examples.md'), 'utf8');
  const tests = readFileSync(locate('test/e2e/examples.test.ts'), 'utf8');
  for (const example of EXAMPLES) {
    expect(readExample(`${example}/README.md`)).toMatch(/^# .+\n/);
    expect(guide).toContain(`../../examples/${example}/README.md`);
    expect(tests).toMatch(new RegExp(`'${example}[ ']`));
  }
});
