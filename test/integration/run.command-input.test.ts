import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookUid } from '../../src/domain/ids.ts';
import { CONTEXT_FIELDS } from '../../src/domain/runs/run-context.ts';
import { renderRunDocuments } from '../../src/runs/envelope.ts';
import { removeRunFolder } from '../../src/runs/executors/files/remove-run-folder.ts';
import {
  execute,
  makeRunInput,
  openWorkshop,
  SEARCH_PATH,
  tryToExecute,
  type Workshop,
} from '../helpers/command-runs.ts';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await openWorkshop();
});
afterEach(() => workshop.close());

/** The variables of the context of a provider. */
const VARIABLES = new Set(Object.values(CONTEXT_FIELDS).map(({ variable }) => variable));

/** Prints the environment as a JSON object: exactly what the process was given. */
const PRINT_ENVIRONMENT = [process.execPath, '-e', 'console.log(JSON.stringify(process.env))'];

describe('the directory of a run', () => {
  it('contains prompt.md, event-payload.json and run.json, readable only by the owner', async () => {
    const input = makeRunInput();
    expect(await execute(workshop.executor(['ls']), input)).toEqual({ state: 'succeeded', error: null, exitCode: 0 });
    expect(await workshop.log(input.run.id)).toBe('event-payload.json\nprompt.md\nrun.json\n');
    const work = join(workshop.runsDir, input.run.id, '1');
    expect((await stat(work)).mode & 0o777).toBe(0o700);
    for (const file of await readdir(work)) expect((await stat(join(work, file))).mode & 0o777).toBe(0o600);
    const documents = renderRunDocuments(input, {});
    expect(await readFile(join(work, 'prompt.md'), 'utf8')).toBe(documents.promptFile);
    expect(await readFile(join(work, 'run.json'), 'utf8')).toBe(documents.runFile);
  });

  it.each([
    ['digits that a number cannot hold', '{"n": 12345678901234567890.000, "n": 1e400}'],
    ['white space and a lone surrogate escape', ' \t\r\n[ "\\ud800", "\u2028" ]\r\n'],
    ['a scalar', 'null'],
    ['quotes and shell text', '"$(touch pwned) `id` \'; rm -rf / #"'],
  ])('contains the payload byte for byte: %s', async (_title, text) => {
    const payload = Buffer.from(text);
    const input = makeRunInput({ payload });
    await execute(workshop.executor(['sh', '-c', 'cat "$DOCKBELL_PAYLOAD"; touch kept']), input);
    const work = join(workshop.runsDir, input.run.id, '1');
    expect(Buffer.compare(await readFile(join(work, 'event-payload.json')), payload)).toBe(0);
    expect(await workshop.log(input.run.id)).toBe(text);
    expect((await readdir(work)).sort()).toEqual(['event-payload.json', 'kept', 'prompt.md', 'run.json']);
  });

  it('contains the agent files of the commit, read-only, in definition/', async () => {
    const input = makeRunInput();
    const agentFiles = ['agents/triage/agent.md', 'agents/triage/prompt.md', 'skills/"$(id)"\n.md'].map((path) => ({
      path,
      bytes: Buffer.from(`content of ${path}`),
    }));
    const command = ['sh', '-c', 'cat definition/agents/triage/agent.md; find definition -type d -perm 500 | wc -l'];
    await execute(workshop.executor(command), input, { agentFiles });
    expect(await workshop.log(input.run.id)).toBe('content of agents/triage/agent.md4\n');
    const folder = join(workshop.runsDir, input.run.id, '1', 'definition');
    for (const { path, bytes } of agentFiles) {
      expect((await readFile(join(folder, path))).equals(bytes)).toBe(true);
      expect((await stat(join(folder, path))).mode & 0o777).toBe(0o400);
    }
    // The next attempt replaces the directory, and retention removes it.
    const again = { ...input, run: { ...input.run, attempt: 2 } };
    await execute(workshop.executor(['cat', 'definition/agents/triage/prompt.md']), again, { agentFiles });
    expect(await workshop.log(input.run.id)).toContain('content of agents/triage/prompt.md');
    await removeRunFolder(join(workshop.runsDir, input.run.id));
    expect(await readdir(workshop.runsDir)).toEqual([]);
  });

  it.each(['../escape', 'agents/../../escape', '/etc/x', 'agents//x', 'agents/./x'])(
    'does not start with an agent file that leaves it: %s',
    async (path) => {
      const agentFiles = [{ path, bytes: Buffer.from('x') }];
      const outcome = await tryToExecute(workshop.executor(['true']), makeRunInput(), { agentFiles });
      expect(outcome).toMatchObject({ state: 'not_started', problem: expect.stringContaining('no usable path') });
      expect(await readdir(workshop.dir)).not.toContain('escape');
    },
  );

  it('is new for each attempt, and the log marks later attempts', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(['sh', '-c', 'ls; touch left-behind']);
    await execute(executor, input);
    await execute(executor, { ...input, run: { ...input.run, attempt: 2 } });
    const [first, second] = (await workshop.log(input.run.id)).split(/\n\[dockbell: attempt 2, [^\]]+\]\n/);
    expect(first).toBe('event-payload.json\nprompt.md\nrun.json\n');
    expect(second).toBe(first);
  });
});

describe('the input of a run', () => {
  it('is the text of prompt.md on standard input', async () => {
    const input = makeRunInput({ prompt: 'Line one\nund Zeile zwei: ü\n' });
    await execute(workshop.executor(['cat']), input);
    expect(await workshop.log(input.run.id)).toBe(renderRunDocuments(input, {}).promptFile);
  });

  it('can stay unread, also if it is large', async () => {
    const input = makeRunInput({ prompt: 'x'.repeat(4_000_000) });
    expect((await execute(workshop.executor(['true']), input)).state).toBe('succeeded');
  });

  it("has exactly the environment of the contract and nothing of the daemon's environment", async () => {
    process.env.DOCKBELL_TEST_CANARY = 'canary';
    process.env.NODE_V8_COVERAGE = join(workshop.dir, 'coverage');
    const input = makeRunInput();
    const secrets = { CI_TOKEN: 'tóken with "quotes"\nand lines', ['__proto__']: 'plain' };
    await execute(workshop.executor(PRINT_ENVIRONMENT, { maskOutput: () => new PassThrough() }), input, { secrets });
    delete process.env.DOCKBELL_TEST_CANARY;
    delete process.env.NODE_V8_COVERAGE;
    const work = join(workshop.runsDir, input.run.id, '1');
    expect(JSON.parse(await workshop.log(input.run.id))).toEqual({
      PATH: SEARCH_PATH,
      HOME: work,
      TMPDIR: `${work}.tmp`,
      LANG: 'C.UTF-8',
      DOCKBELL_RUN_ID: input.run.id,
      DOCKBELL_FACTORY: 'payments',
      DOCKBELL_AUTOMATION: 'build',
      DOCKBELL_WEBHOOK: 'internal-ci',
      DOCKBELL_WEBHOOK_UID: input.webhook.uid,
      DOCKBELL_DELIVERY_ID: 'event-1',
      DOCKBELL_EVENT: '',
      DOCKBELL_PAYLOAD: join(work, 'event-payload.json'),
      CI_TOKEN: 'tóken with "quotes"\nand lines',
      ['__proto__']: 'plain',
    });
  });

  it('has the context of a provider, one line for each value, and only the values that the delivery has', async () => {
    const payload = {
      issue: { number: 12, html_url: 'http://github.com/acme/shop/issues/12' },
      repository: { full_name: 'acme/shop' },
      sender: { login: 'ann\nPATH=/evil\0' },
      after: '--upload-pack=touch',
    };
    const origin = {
      webhook: { serves: null, signatureScheme: 'github' },
      headers: { 'x-github-event': 'issues' },
      filters: [],
    };
    const input = makeRunInput({ origin, payload: Buffer.from(JSON.stringify(payload)) });
    await execute(workshop.executor(PRINT_ENVIRONMENT), input);
    const seen = Object.entries(JSON.parse(await workshop.log(input.run.id)) as { [name: string]: string });
    expect(Object.fromEntries(seen.filter(([name]) => VARIABLES.has(name)))).toEqual({
      DOCKBELL_PROVIDER: 'github',
      DOCKBELL_PROVIDER_EVENT: 'issues',
      DOCKBELL_REPOSITORY: 'acme/shop',
      DOCKBELL_NUMBER: '12',
      DOCKBELL_ACTOR: 'ann\\nPATH=/evil\\x00',
    });
  });

  it('has a folder for temporary files that is deleted with the attempt', async () => {
    const input = makeRunInput();
    const executor = workshop.executor(['sh', '-c', 'touch "$TMPDIR/x" && mkdir "$TMPDIR/y" && chmod 0 "$TMPDIR/y"']);
    expect((await execute(executor, input)).state).toBe('succeeded');
    expect(await readdir(join(workshop.runsDir, input.run.id))).toEqual(['1']);
  });

  it.each([
    'PATH',
    'LD_PRELOAD',
    'DYLD_INSERT_LIBRARIES',
    'NODE_OPTIONS',
    'BASH_ENV',
    'DOCKBELL_RUN_ID',
    'GIT_SSH_COMMAND',
  ])('never contains a secret with the name %s, and the error names it', async (name) => {
    const result = await execute(workshop.executor(['true']), makeRunInput(), { secrets: { [name]: 'value-of-it' } });
    expect(result.state).toBe('failed');
    expect(result.error).toContain(`secret "${name}" cannot be passed to a run`);
    expect(result.error).not.toContain('value-of-it');
  });

  it('fails with a clear sentence if a secret contains a NUL', async () => {
    const result = await execute(workshop.executor(['true']), makeRunInput(), { secrets: { TOKEN: 'a\0b' } });
    expect(result.error).toMatch(/secret "TOKEN" .* NUL/);
  });
});

describe('texts from untrusted senders', () => {
  const hostile = [
    '$(touch pwned)',
    '`touch pwned`',
    '; touch pwned #',
    '| touch pwned',
    '"\'\\"',
    'a\ntouch pwned\n',
    '--help',
    '-rf',
    '() { :; }; touch pwned',
    '../../etc/passwd',
    '%s%n%x',
    '\u202egnp.exe',
    "'||'1'='1",
  ];

  it.each(hostile)('reach the command unchanged and run nothing: %j', async (text) => {
    const input = makeRunInput({
      run: { deliveryIdentity: text, automation: text, factory: text },
      webhook: { name: text, uid: 'wh_0123456789abcdefghjkmnpqrs' },
      payload: Buffer.from(JSON.stringify(text)),
      prompt: text,
    });
    expect((await execute(workshop.executor(PRINT_ENVIRONMENT), input)).state).toBe('succeeded');
    const seen = JSON.parse(await workshop.log(input.run.id));
    expect(seen).toMatchObject({
      DOCKBELL_FACTORY: text,
      DOCKBELL_AUTOMATION: text,
      DOCKBELL_WEBHOOK: text,
      DOCKBELL_DELIVERY_ID: text,
    });
    const all = await readdir(workshop.dir, { recursive: true });
    expect(all.filter((name) => name.includes('pwned'))).toEqual([]);
  });

  it('cannot prevent a run with a NUL', async () => {
    const input = makeRunInput({ run: { deliveryIdentity: 'a\0b' } });
    expect((await execute(workshop.executor(PRINT_ENVIRONMENT), input)).state).toBe('succeeded');
    expect(JSON.parse(await workshop.log(input.run.id)).DOCKBELL_DELIVERY_ID).toBe('a\u{fffd}b');
  });

  it('include the list of naughty strings', { tags: 'full', timeout: 120_000 }, async () => {
    const file = new URL('../vectors/naughty-strings/blns.json', import.meta.url);
    const strings: string[] = JSON.parse(await readFile(file, 'utf8'));
    expect(strings.length).toBeGreaterThan(500);
    // `env` starts faster than Node, six strings travel in one run, eight runs go on at a time: this is a long list.
    const executor = workshop.executor(['env', '-0']);
    const send = async ([a = '', b = '', c = '', d = '', e = '', f = '']: string[]) => {
      const input = makeRunInput({
        run: { deliveryIdentity: a, automation: b, factory: c },
        webhook: { name: d, uid: e as WebhookUid },
        event: f,
      });
      expect(await execute(executor, input)).toMatchObject({ state: 'succeeded' });
      const seen = (await workshop.log(input.run.id)).split('\0');
      const names = ['DELIVERY_ID', 'AUTOMATION', 'FACTORY', 'WEBHOOK', 'WEBHOOK_UID', 'EVENT'];
      const sent = [a, b, c, d, e, f].map((text, index) => `DOCKBELL_${names[index]}=${text}`);
      expect(seen).toEqual(expect.arrayContaining(sent));
    };
    for (let start = 0; start < strings.length; start += 48) {
      const parcels = Array.from({ length: 8 }, (_, index) => strings.slice(start + 6 * index, start + 6 * index + 6));
      await Promise.all(parcels.map(send));
    }
  });
});

describe('a command that cannot start', () => {
  it.each([
    [
      'is missing on PATH',
      'dockbell-no-such-program',
      /cannot start dockbell-no-such-program: the program, or the interpreter in its first line, does not exist/,
    ],
    [
      'is missing at its path',
      '/nowhere/agent.sh',
      /cannot start \/nowhere\/agent.sh: the program, or the interpreter in its first line, does not exist/,
    ],
  ])('fails its run with a clear sentence if it %s', async (_title, file, sentence) => {
    const result = await execute(workshop.executor([file]), makeRunInput());
    expect(result).toMatchObject({ state: 'failed', exitCode: null });
    expect(result.error).toMatch(sentence);
  });

  it('fails its run with a clear sentence if it has no execute permission', async () => {
    await mkdir(workshop.dir, { recursive: true });
    const file = join(workshop.dir, 'agent.sh');
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, 0o600);
    expect((await execute(workshop.executor([file]), makeRunInput())).error).toMatch(/not executable .* chmod \+x/);
  });

  it('fails its run with a clear sentence if its secrets are too large for an environment', async () => {
    const result = await execute(workshop.executor(['true']), makeRunInput(), {
      secrets: { BIG: 'x'.repeat(200_000) },
    });
    expect(result.error).toMatch(/too large for an environment/);
  });

  it('is rejected immediately if it is empty or a relative path', () => {
    expect(() => workshop.executor([])).toThrow(/is empty/);
    expect(() => workshop.executor(['./agent.sh'])).toThrow(/relative path/);
  });
});
