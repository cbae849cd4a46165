import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type DocumentShell,
  describeServerProgram,
  listCommandBlocks,
  openDocumentShell,
  type Replacements,
  readReason,
} from './documented-commands.ts';
import { listPages } from './documents.ts';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';
import { createTempGitRepo, type RepoFiles, runTestGit } from './temp-git-repo.ts';
import { startTestDaemon, type TestDaemon } from './test-daemon.ts';

const TOKEN = 'a-long-value-that-nobody-guesses-0123456789';

const trigger = (webhook: string, payload: string) => `---
triggers:
  - provider: webhook
    event: received
    filter: { webhooks: [${webhook}], payload: ${payload} }
---
Look into it.
`;

export const FILES: { [path: string]: string } = {
  'webhooks/internal-ci.yaml': 'secretName: INTERNAL_CI_WEBHOOK_SECRET\n',
  'webhooks/internal-ci.samples/failed.json': '{"body": {"status": "failed"}, "starts": ["triage-build-failure"]}\n',
  'webhooks/github.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_SECRET\n',
  'webhooks/stripe-events.yaml': 'authMode: signature\nsignatureScheme: stripe\nsecretName: STRIPE_SECRET\n',
  'webhooks/sentry.yaml': 'authMode: signature\nsignatureScheme: sentry\nsecretName: SENTRY_SECRET\n',
  'automations/triage-build-failure/automation.md': trigger('internal-ci', '{ status: [failed] }'),
  'automations/sentry-fatal-errors/automation.md': trigger('sentry', '{ level: [fatal] }'),
};

/** Reads the prompt, and does what the payload asks for: fail, take long, or succeed. */
const AGENT =
  'cat > prompt.txt; if grep -q explode "$DOCKBELL_PAYLOAD"; then exit 1; fi; if grep -q slow "$DOCKBELL_PAYLOAD"; then sleep 60; fi; echo done';

/** A real daemon over a repository with an origin, the work tree of a reader, and objects that documents name. */
export interface World {
  daemon: TestDaemon;
  folder: string;
  env: Record<string, string>;
  replacements: [string, string][];
  /** The daemon that hosts its factories; `null` until a document needs it. */
  hosted: TestDaemon | null;
  /** Commits files to the work tree and pushes them; `null` deletes. */
  push(files: RepoFiles): Promise<void>;
}

let world: World;

export async function createWorld(): Promise<World> {
  const origin = await createTempGitRepo({ bare: true });
  await origin.commit(FILES);
  const folder = join(createTempDir('documents'), 'payments');
  await runTestGit(createTempDir('here'), ['clone', '-q', origin.path, folder]);
  const executor = { type: 'command', command: ['sh', '-e', '-c', AGENT] };
  const source = { type: 'repository', url: origin.path, pollInterval: '1s' };
  const config = { factories: [{ name: 'payments', source, runs: { executor } }] };
  const daemon = await startTestDaemon({ config });
  for (const name of ['GITHUB_SECRET', 'STRIPE_SECRET', 'SENTRY_SECRET']) {
    await daemon.api(`/secrets/${name}`, { method: 'PUT', body: { value: TOKEN, factories: ['payments'] } });
  }
  const env = describeDaemon(daemon);
  const replacements: World['replacements'] = [
    ['http://127.0.0.1:8788', daemon.adminUrl],
    ['/var/lib/dockbell', daemon.dataDir],
  ];
  const push = async (files: RepoFiles) => {
    for (const [path, text] of Object.entries(files)) {
      if (text === null) rmSync(join(folder, path));
      else writeIn(folder, path, String(text));
    }
    await runTestGit(folder, ['add', '--all']);
    await runTestGit(folder, ['commit', '-qm', 'Change the factory']);
    await runTestGit(folder, ['push', '-q']);
  };
  return { daemon, folder, env, replacements, hosted: null, push };
}

function describeDaemon({ adminUrl, dataDir }: TestDaemon): Record<string, string> {
  return { DOCKBELL_URL: adminUrl, DOCKBELL_TOKEN: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim() };
}

function startHosted(): Promise<TestDaemon> {
  const factories = [
    { name: 'payments', source: { type: 'managed' } },
    { name: 'billing', source: { type: 'live' } },
  ];
  return startTestDaemon({ config: { factories } });
}

/** Sends a delivery and resolves to the ID of its run when the run has this state. */
async function startRun(payload: string, state: string): Promise<string> {
  const data = JSON.stringify({ status: 'failed', what: payload, id: Math.random() });
  const sent = await world.daemon.cli('send', 'internal-ci', '--data', data);
  const [run] = /run_\w+/.exec(sent.stdout) ?? [];
  expect(run, sent.stdout + sent.stderr).toBeDefined();
  await eventually(async () => (await world.daemon.api(`/runs/${run}`)).body.state === state);
  return run!;
}

export async function findUid({ daemon }: Pick<World, 'daemon'>, webhook: string): Promise<string> {
  const { body } = await daemon.api('/factories/payments/webhooks');
  return body.data.find(({ name }: { name: string }) => name === webhook).uid;
}

function writeIn(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function putFile(path: string, text: string, folder: string = world.folder): [] {
  writeIn(folder, path, text);
  return [];
}

const write = (path: string, text: string) => writeIn(world.folder, path, text);

const REQUEST = { headers: { 'Stripe-Signature': 't=1790000000,v1=00' }, body: '{"id": "evt_1"}' };

/** What the text of a document asks the reader to do before a block, and the values of this session for its examples. */
type Prepare = (folder: string) => Promise<Replacements> | Replacements;

interface Page {
  /** By the index of the block. */
  before?: { [index: number]: Prepare };
  /** A command that runs while the blocks are executed. */
  background?: string;
  /** Starts in an empty folder instead of the work tree, with these variables instead of those of the daemon. */
  alone?: () => Record<string, string>;
  /** With a daemon that hosts its factories, from an empty folder. */
  hosted?: true;
  /** As a reader on a server: the daemon is a service of the machine, and neither the folder nor a variable names it. */
  server?: true;
  /** By the index of the block: checks what it printed. */
  after?: { [index: number]: (printed: string) => void };
}

const DEMO_FILTER = '.dockbell/example-factory/automations/triage-build-failure/automation.md';
const readDemo = (folder: string) => readFileSync(join(folder, 'demo.log'), 'utf8');

function editFilter(folder: string, status: string): [] {
  const file = join(folder, DEMO_FILTER);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/status: .*/, `status: ${status}`));
  return [];
}

/** The session of the README: the demo, with its output in a file. */
const DEMO: Page = {
  alone: () => ({ DOCKBELL_INGRESS_PORT: '0', DOCKBELL_ADMIN_PORT: '0' }),
  background: 'dockbell demo > demo.log 2>&1',
  before: {
    0: async (folder) => {
      await eventually(async () => existsSync(join(folder, 'demo.log')) && readDemo(folder).includes('# uptime'));
      return [['$ npm start', '$ cat demo.log'], ...listAddresses(folder)];
    },
    1: async (folder) => {
      // The demo sends an event itself, whose run is not part of the session.
      await eventually(async () => readDemo(folder).includes('payload: 310 bytes'));
      const [, curl = ''] = /^# internal-ci.*\n(curl .*)$/m.exec(readDemo(folder)) ?? [];
      writeIn(folder, 'paste.sh', curl.replace('curl', 'curl -s'));
      return [['HTTP/1.1', '$ sh paste.sh\nHTTP/1.1']];
    },
    2: async (folder) => {
      await eventually(async () => readDemo(folder).includes('payload: 87 bytes'));
      return [
        [
          '… INFO  run started',
          "$ sed -n '/automation=triage-build-failure/,/payload: 87/ p' demo.log\n… INFO  run started",
        ],
      ];
    },
    3: (folder) => listAddresses(folder),
    5: (folder) => editFilter(folder, 'failed, passed'),
    6: (folder) => editFilter(folder, '[failed, passed]'),
  },
};

/** The addresses of this demo, for those that the README shows. */
function listAddresses(folder: string): [string, string][] {
  const [, ingress = '', admin = ''] = /ingressUrl=(\S+) adminUrl=(\S+)/.exec(readDemo(folder)) ?? [];
  return [
    ['http://127.0.0.1:8787', ingress],
    ['http://127.0.0.1:8788', admin],
  ];
}

/** In this order: the first page creates the secret without which nothing is applied. */
export const PAGES: { [document: string]: Page } = {
  'docs/guides/command-line.md': {
    before: {
      1: async () => {
        const body = { value: TOKEN, factories: ['payments'] };
        await world.daemon.api('/secrets/OLD_TOKEN', { method: 'PUT', body });
        return [];
      },
    },
  },
  'docs/reference/webhook.md': {
    before: {
      0: () => {
        write('webhooks/internal-ci.yaml', `description: Builds\n${FILES['webhooks/internal-ci.yaml']}`);
        return [];
      },
    },
  },
  'docs/reference/automation.md': {
    before: {
      0: () => {
        write('payload.json', '{"level": "fatal"}');
        const path = 'automations/sentry-fatal-errors/automation.md';
        write(path, `${FILES[path]}Be brief.\n`);
        return [];
      },
    },
  },
  'docs/reference/reconciliation.md': {
    before: { 0: async () => [['2d7a129fc6d1', await runTestGit(world.folder, ['rev-parse', 'HEAD'])]] },
  },
  'docs/guides/editors.md': {},
  'docs/guides/plan.md': {},
  'docs/guides/replay.md': {},
  'docs/guides/pull-requests.md': {},
  'docs/reference/validation-reports.md': {
    alone: () => ({}),
    before: {
      0: (folder) => {
        for (const name of ['payments', 'search']) {
          for (const [path, text] of Object.entries(FILES)) writeIn(`${folder}/factories/${name}`, path, text);
        }
        return [];
      },
    },
  },
  'docs/operations/git-hosts.md': { before: { 0: () => putFile('token.txt', TOKEN) } },
  'docs/operations/diagnosing-rejections.md': {
    before: {
      0: async () => {
        const url = `${world.daemon.ingressUrl}/webhooks/w/${await findUid(world, 'stripe-events')}`;
        const send = `curl -s -o answer.json '${url}' -H 'Stripe-Signature: t=1,v1=00' -d '{"id": "evt_1"}'`;
        return [
          ['# let the sender send again', send],
          ['dlv_01jd3v8k6n', 'last'],
        ];
      },
      1: () => [...putFile('request.json', JSON.stringify(REQUEST)), ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET']],
      2: () => putFile('key', TOKEN),
    },
  },
  'docs/operations/runs.md': {
    before: {
      1: async () => {
        const [first, second] = [await startRun('explode', 'failed'), await startRun('explode', 'failed')];
        // Without a terminal, the confirmation is an option.
        return [
          ['--dead-letter --since 24h   # retry', '--dead-letter --since 24h --yes   # retry'],
          ['run_01jd3v8k6n', first],
          ['run_01jd3w2m4q', second],
        ];
      },
      2: async () => [['RUN', await startRun('fast', 'succeeded')]],
    },
  },
  'docs/reference/runs.md': {
    before: {
      0: async () => [
        ['run_01m7yj32yre0ypze8bxjzjg667 --follow', `${await startRun('fast', 'succeeded')} --follow`],
        ['run_01m7yj32yre0ypze8bxjzjg667', await startRun('slow', 'running')],
      ],
    },
  },
  'docs/reference/sample.md': {
    before: {
      1: async () => {
        const sent = await world.daemon.cli(
          'send',
          'github',
          '--data',
          '{"sender": {"email": "a@b.c"}, "commits": [{"author": "a"}]}',
        );
        mkdirSync(join(world.folder, 'webhooks/github.samples'), { recursive: true });
        return [['dlv_01jd3v8k6n', /dlv_\w+/.exec(sent.stdout)![0]]];
      },
    },
  },
  'docs/operations/users.md': {
    before: {
      1: () => putFile('password.txt', TOKEN),
      2: async () => {
        const body = { name: 'bob', role: 'viewer', password: TOKEN };
        expect((await world.daemon.api('/users', { method: 'POST', body })).status).toBe(201);
        return [];
      },
    },
  },
  'docs/operations/secrets.md': {
    hosted: true,
    server: true,
    before: {
      0: (folder) => putFile('secret.txt', TOKEN, folder),
      1: async (folder) => {
        writeIn(folder, 'key.txt', TOKEN);
        for (const name of ['CI_TOKEN', 'SHARED_TOKEN'])
          await world.hosted!.api(`/secrets/${name}`, { method: 'PUT', body: { value: TOKEN } });
        return [];
      },
    },
  },
  'docs/guides/managed-and-live.md': {
    hosted: true,
    before: {
      0: async (folder) => {
        await world.hosted!.api('/factories/payments/webhooks', { method: 'POST', body: { name: 'internal-ci' } });
        writeIn(folder, 'automation.md', trigger('internal-ci', '{}'));
        return [];
      },
      1: async () => {
        const { body } = await world.hosted!.api('/factories/payments/history');
        return [['c1c36eb06ce8', body.data[1].revision ?? body.data[1].id]];
      },
    },
  },
  'docs/reference/management-api.md': {
    before: {
      1: async () => {
        const { body } = await world.daemon.api('/tokens', { method: 'POST', body: { name: 'old', role: 'viewer' } });
        return [['tok_01jd3v8k6n', body.id]];
      },
      // The stream has no end.
      2: () => [
        ['curl -sN', 'timeout 1 curl -sN -o events.txt'],
        ['$DOCKBELL_TOKEN"\n', '$DOCKBELL_TOKEN" || [ $? = 124 ]\n'],
      ],
      3: async () => {
        write('secret.json', JSON.stringify({ value: TOKEN }));
        return [
          ['$WEBHOOK_UID', await findUid(world, 'internal-ci')],
          ['$RUN', await startRun('fast', 'succeeded')],
        ];
      },
    },
  },
  'docs/reference/receiving-deliveries.md': {
    before: {
      0: async () => [
        ['https://hooks.example.com', world.daemon.ingressUrl],
        ['$WEBHOOK_UID', await findUid(world, 'internal-ci')],
        ['$WEBHOOK_SECRET', TOKEN],
      ],
    },
    after: {
      0: (printed) => expect(printed).toMatch(/^HTTP\/1.1 202 Accepted\r\n[\s\S]*\{"delivery_id":"build-4711"\}/),
    },
  },
  'docs/reference/signature-schemes.md': { before: { 0: () => [['$SIGNING_SECRET', TOKEN]] } },
  'README.md': DEMO,
  'docs/tutorials/first-factory.md': {
    alone: () => ({ DOCKBELL_INGRESS_PORT: '0', DOCKBELL_ADMIN_PORT: '0' }),
    before: {
      3: async (folder) => {
        await eventually(async () => existsSync(join(folder, 'my-factory/.dockbell/daemon.json')));
        return [];
      },
    },
  },
  'docs/operations/backup.md': {
    server: true,
    before: { 0: (folder) => [['/backup/', `${folder}/`]] },
  },
  'docs/tutorials/production.md': {
    server: true,
    before: {
      // The reader merges the file from their own machine.
      1: async () => {
        const webhook = 'authMode: signature\nsignatureScheme: github\nsecretName: GITHUB_WEBHOOK_SECRET\n';
        await world.push({ 'webhooks/git-push.yaml': webhook });
        return [];
      },
    },
  },
};

/** Documents whose commands other tests execute or parse. */
export const ELSEWHERE: { [document: string]: string } = {
  // The examples of the help. Every one of them is parsed.
  'docs/reference/cli.md': 'test/docs/commands.test.ts',
  'docs/guides/workers.md': 'test/e2e/workers.test.ts',
  'docs/guides/http-receivers.md': 'test/e2e/http-executor.test.ts',
  'docs/guides/local-development.md': 'test/e2e/listen.test.ts',
  ...Object.fromEntries(
    listPages()
      .filter((path) => path.startsWith('docs/schemes/'))
      .map((path) => [path, 'test/docs/scheme-pages.test.ts']),
  ),
};

export const executed = (document: string) =>
  listCommandBlocks(document).filter((block) => readReason(block) === null && !/^[\w./-]+\.sh$/.test(block.title));

/** A busy machine takes long to start the programs of a document. */
const DOCUMENT_MS = 180_000;

/** Executes every block of these documents, in the order of `PAGES`. */
export function describeCommandBlocks(title: string, documents: readonly string[]): void {
  describe(title, () => {
    const shells: DocumentShell[] = [];
    let hosted: TestDaemon | null = null;
    beforeAll(async () => {
      world = await createWorld();
    });
    afterAll(async () => {
      await Promise.all(shells.map((shell) => shell.end()));
      await Promise.all([world?.daemon.end('SIGTERM'), hosted?.end('SIGTERM')]);
    });

    const openShell = async (page: Page) => {
      if (page.alone !== undefined) return openDocumentShell(createTempDir('reader'), page.alone());
      if (page.hosted !== undefined) {
        hosted ??= await startHosted();
        world.hosted = hosted;
      }
      const daemon = page.hosted === undefined ? world.daemon : hosted!;
      if (page.server !== undefined)
        return openDocumentShell(createTempDir('reader'), {}, describeServerProgram(daemon.dataDir));
      if (page.hosted === undefined) return openDocumentShell(world.folder, world.env);
      return openDocumentShell(createTempDir('reader'), describeDaemon(daemon));
    };

    const listed = Object.keys(PAGES).filter((document) => documents.includes(document));
    it.each(listed)('%s', { timeout: DOCUMENT_MS }, async (document) => {
      const page = PAGES[document]!;
      const shell = await openShell(page);
      shells.push(shell);
      if (page.background !== undefined) shell.start(page.background);
      const blocks = executed(document);
      expect(Object.keys(page.before ?? {}).filter((index) => Number(index) >= blocks.length)).toEqual([]);
      for (const [index, block] of blocks.entries()) {
        const values = (await page.before?.[index]?.(shell.folder)) ?? [];
        const printed = await shell.execute(block, [...values, ...(page.alone ? [] : world.replacements)]);
        page.after?.[index]?.(printed);
      }
    });
  });
}
