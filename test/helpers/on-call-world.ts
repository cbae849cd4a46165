import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';
import { createTempGitRepo, type TempGitRepo } from './temp-git-repo.ts';
import { startDaemonHere, startTestDaemon, type TestDaemon } from './test-daemon.ts';

/** A daemon that contains the situations of `on-call-questions.ts`. */
export interface OnCallWorld {
  daemon: TestDaemon;
  /** Commits by what they did. */
  commits: Record<'first' | 'filter' | 'everything' | 'rotation' | 'removal' | 'broken', string>;
  /** UIDs of webhooks by name. */
  uids: Readonly<Record<string, string>>;
  /** IDs of deliveries by the name of the situation. */
  deliveries: Record<'nothing' | 'original' | 'swallowed' | 'rejected', string>;
  /** IDs of runs by the name of the situation. */
  runs: Record<'interrupted' | 'queued' | 'cancelled' | 'twice' | 'everything', string>;
  /** Before and after the deliveries at night. */
  night: { from: string; to: string };
  /** The reconciliation of the broken commit. */
  reconciliation: string;
  end(): Promise<void>;
}

const SECRETS = { GH: 'the-first-secret-of-github', CI: 'the-token-of-the-ci-server' };
const ROTATED = 'the-second-secret-of-github';
/** More deliveries to one webhook in a minute get 429. */
const RATE = 20;

const AGENT = `#!/bin/sh
case "$(cat event-payload.json)" in
  *hang*) echo waiting; while [ ! -e SIGNALS/stop ]; do sleep 0.1; done ;;
  *) echo done ;;
esac
`;

function declareAutomation(webhooks: string, payload: string): string {
  return `---
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [${webhooks}]
${payload === '' ? '' : `      payload: {${payload}}\n`}---
Look at it.
`;
}

const FILES = {
  'webhooks/gh.yaml': 'authMode: signature\nsignatureScheme: github\nsecretName: GH\n',
  'webhooks/ci.yaml': 'secretName: CI\n',
  'webhooks/busy.yaml': 'secretName: CI\n',
  'webhooks/off.yaml': 'secretName: CI\n',
  'webhooks/z.yaml': 'secretName: CI\n',
  'automations/pr/automation.md': declareAutomation('gh', 'action: [opened]'),
  'automations/typo/automation.md': declareAutomation('gh', 'actoin: [opened]'),
  'automations/off/automation.md': declareAutomation('off', ''),
  'automations/build/automation.md': declareAutomation('ci', ''),
};

/** Starts a daemon and creates every situation, with real requests, commits and commands. */
export async function createOnCallWorld(): Promise<OnCallWorld> {
  const repo = await createTempGitRepo();
  const signals = createTempDir('on-call');
  writeFileSync(join(signals, 'agent.sh'), AGENT.replace('SIGNALS', signals), { mode: 0o755 });
  const dataDir = createTempDir('on-call-data');
  const executor = { type: 'command', command: [join(signals, 'agent.sh')] };
  const config = {
    shutdownGrace: '1s',
    limits: { deliveriesPerMinute: RATE },
    factories: [{ name: 'pay', source: { type: 'repository', url: repo.path }, runs: { executor, concurrency: 2 } }],
  };
  const first = await commitAs(repo, 'Alice', 'Add the webhooks', FILES);
  const daemon = await startTestDaemon({ config, dataDir });
  for (const [name, value] of Object.entries(SECRETS)) await daemon.cli('secret', 'create', name, '--value', value);
  const builder = new WorldBuilder(repo, daemon);
  await builder.waitFor(first);
  const filtered = await builder.buildFilters();
  const runs = await builder.buildRuns(() => startDaemonHere({ config, dataDir }));
  const rest = await builder.buildDefinitions();
  return {
    daemon: builder.daemon,
    uids: await builder.uids(),
    commits: { first, ...filtered.commits, ...rest.commits },
    deliveries: { ...filtered.deliveries, ...rest.deliveries, ...runs.deliveries },
    runs: { ...runs.runs, everything: filtered.run },
    night: runs.night,
    reconciliation: rest.reconciliation,
    end: async () => {
      writeFileSync(join(signals, 'stop'), '');
      await builder.daemon.end('SIGTERM');
      repo.remove();
    },
  };
}

async function commitAs(repo: TempGitRepo, author: string, message: string, files: Record<string, string | null>) {
  await repo.commit(files, message, `${author} <${author.toLowerCase()}@example.com>`);
  return repo.git(['rev-parse', 'HEAD']);
}

class WorldBuilder {
  readonly repo: TempGitRepo;
  daemon: TestDaemon;
  #sent = 0;

  constructor(repo: TempGitRepo, daemon: TestDaemon) {
    this.repo = repo;
    this.daemon = daemon;
  }

  async waitFor(revision: string): Promise<void> {
    const waited = await this.daemon.cli('status', '--wait', revision, '--timeout', '30s');
    expect(waited.code, waited.stdout + waited.stderr).toBe(0);
  }

  async commit(author: string, message: string, files: Record<string, string | null>): Promise<string> {
    const revision = await commitAs(this.repo, author, message, files);
    await this.waitFor(revision);
    return revision;
  }

  async uids(): Promise<Record<string, string>> {
    const { body } = await this.daemon.api('/factories/pay/webhooks');
    const { body: deleted } = await this.daemon.api('/factories/pay/webhooks?deleted=true');
    return Object.fromEntries([...deleted.data, ...body.data].map(({ name, uid }) => [name, uid]));
  }

  async #post(webhook: string, body: string, headers: Record<string, string>): Promise<number> {
    const uid = (await this.uids())[webhook];
    const url = `${this.daemon.ingressUrl}/webhooks/w/${uid}`;
    return (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }))
      .status;
  }

  /** A delivery as GitHub signs it. */
  postGitHub(id: string, action: string, secret: string): Promise<number> {
    const body = JSON.stringify({ action, number: 7 });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    return this.#post('gh', body, {
      'x-github-delivery': id,
      'x-github-event': 'pull_request',
      'x-hub-signature-256': `sha256=${signature}`,
    });
  }

  postCi(body: object, id = `ci-${++this.#sent}`, webhook = 'ci'): Promise<number> {
    const headers = { authorization: `Bearer ${SECRETS.CI}`, 'x-service-delivery-id': id };
    return this.#post(webhook, JSON.stringify(body), headers);
  }

  /** The newest delivery with an ID of its sender. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of the API
  async find(id: string): Promise<any> {
    const { body } = await this.daemon.api(`/factories/pay/deliveries?delivery_id=${id}`);
    return body.data[0];
  }

  async waitForRun(id: string, states: readonly string[]): Promise<void> {
    await eventually(async () => states.includes((await this.daemon.api(`/runs/${id}`)).body.state));
  }

  /** Filters that did not match, that changed, and that matched everything. */
  async buildFilters() {
    expect(await this.postGitHub('guid-nothing', 'edited', SECRETS.GH)).toBe(202);
    const nothing = (await this.find('guid-nothing')).id;
    const filter = await this.commit('Bob', 'Start on edits too', {
      'automations/pr/automation.md': declareAutomation('gh', 'action: [opened, edited]'),
    });
    const everything = await this.commit('Mallory', 'Start on everything', {
      'automations/pr/automation.md': declareAutomation('gh', ''),
    });
    expect(await this.postGitHub('guid-everything', 'labeled', SECRETS.GH)).toBe(202);
    const run = (await this.find('guid-everything')).runs[0];
    await this.waitForRun(run, ['succeeded']);
    return { commits: { filter, everything }, deliveries: { nothing }, run };
  }

  /** Runs that were interrupted, that wait, that were cancelled, and that started twice. */
  async buildRuns(restart: () => Promise<TestDaemon>) {
    const from = new Date().toISOString();
    const interrupted = await this.startRun({ mode: 'hang' }, 'interrupted');
    await eventually(async () => String((await this.daemon.api(`/runs/${interrupted}/log`)).body).includes('waiting'));
    await this.daemon.end('SIGKILL');
    this.daemon = await restart();
    await this.waitForRun(interrupted, ['failed']);
    const twice = await this.startRun({ mode: 'echo' }, 'twice');
    await this.waitForRun(twice, ['succeeded']);
    const original = (await this.find('twice')).id;
    expect((await this.asToken('carol', `/deliveries/${original}/replay`, { automation: null })).status).toBe(201);
    expect(await this.postCi({ mode: 'other' }, 'twice')).toBe(202);
    const swallowed = (await this.daemon.api('/factories/pay/deliveries?label=Duplicate')).body.data[0].id;
    const to = new Date().toISOString();
    const [one, two] = [await this.startRun({ mode: 'hang', n: 1 }), await this.startRun({ mode: 'hang', n: 2 })];
    await Promise.all([one, two].map((id) => this.waitForRun(id, ['running'])));
    const [next, queued] = [await this.startRun({ mode: 'echo', n: 3 }), await this.startRun({ mode: 'echo', n: 4 })];
    const cancelled = next;
    expect((await this.asToken('dave', `/runs/${cancelled}/cancel`)).status).toBe(200);
    const runs = { interrupted, queued, cancelled, twice };
    return { runs, deliveries: { original, swallowed }, night: { from, to } };
  }

  async startRun(body: object, id = `run-${++this.#sent}`): Promise<string> {
    expect(await this.postCi(body, id)).toBe(202);
    return (await this.find(id)).runs[0];
  }

  readonly #tokens = new Map<string, string>();

  /** A request of a person with their own token. */
  async asToken(name: string, path: string, body?: object, method = 'POST') {
    const known = this.#tokens.get(name);
    const token =
      known ??
      (await this.daemon.api('/tokens', { method: 'POST', body: { name, role: 'owner', factories: null } })).body.token;
    this.#tokens.set(name, token);
    return this.daemon.api(path, { method, token, ...(body === undefined ? {} : { body }) });
  }

  /** A rotated secret, removed and disabled webhooks, too many deliveries, and a commit with an error. */
  async buildDefinitions() {
    expect((await this.asToken('alice-laptop', '/secrets/GH?mode=update', { value: ROTATED }, 'PUT')).status).toBe(200);
    const rotation = await this.commit('Alice', 'Take up the new secret', {});
    expect(await this.postGitHub('guid-rejected', 'opened', SECRETS.GH)).toBe(401);
    const rejected = (await this.daemon.api('/factories/pay/deliveries?label=Rejected%20(auth)')).body.data[0].id;
    for (let i = 0; i < RATE; i++) expect(await this.postCi({ i }, `busy-${i}`, 'busy')).toBe(202);
    for (let i = 0; i < 3; i++) expect(await this.postCi({ i }, `lost-${i}`, 'busy')).toBe(429);
    const removal = await this.commit('Eve', 'Remove unused webhooks', {
      'webhooks/z.yaml': null,
      'webhooks/off.yaml': 'secretName: CI\nenabled: false\n',
    });
    expect([await this.postCi({}, 'gone', 'z'), await this.postCi({}, 'gone', 'off')]).toEqual([404, 404]);
    const broken = await commitAs(this.repo, 'Frank', 'Add a webhook', { 'webhooks/new.yaml': 'secretNam: CI\n' });
    // Numbers of requests without a log entry are stored every few seconds.
    await eventually(async () => (await this.daemon.cli('why', 'busy')).stdout.includes('got 429'));
    const find = async () => (await this.daemon.api('/factories/pay/reconciliations?limit=1')).body.data[0];
    const { id } = await eventually(async () => {
      const last = await find();
      return last.revision === broken ? last : null;
    });
    return { commits: { rotation, removal, broken }, deliveries: { rejected }, reconciliation: id };
  }
}
