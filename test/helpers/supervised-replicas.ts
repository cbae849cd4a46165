import { applyCiFactory, configureCiFactory } from './ci-factory.ts';
import { eventually } from './eventually.ts';
import { PostgresProxy } from './postgres-proxy.ts';
import { TestReplicas } from './replicas.ts';
import { type TestPostgres, withClient } from './start-postgres.ts';
import type { TempGitRepo } from './temp-git-repo.ts';
import type { ApiAnswer, DaemonProcess, TestDaemonOptions } from './test-daemon.ts';

/** A frozen leader loses the lead after 15 seconds, and a busy machine needs a minute to start a daemon. */
export const RECOVERED_MS = 120_000;

export interface SupervisedOptions {
  server: TestPostgres;
  /** Of a new database. */
  name: string;
  repo: TempGitRepo;
  /** Command of the runs. */
  command: readonly string[];
  /** The built program; another one for controls. */
  program?: TestDaemonOptions['program'];
}

interface Supervised {
  daemon: DaemonProcess;
  /** Between the replica and PostgreSQL. */
  proxy: PostgresProxy;
  isUp: boolean;
  /** Environment of the next starts. */
  env: Record<string, string>;
}

/** Two replicas that start again when they end, as a supervisor does. */
export class SupervisedReplicas {
  readonly #replicas: TestReplicas;
  readonly #all: Supervised[] = [];
  #isOver = false;
  /** Of the database, without a proxy. */
  readonly url: string;
  /** UID of the webhook `ci`. */
  uid = '';
  readonly exits: (number | null)[] = [];
  /** Why starts failed. */
  readonly #failures: string[] = [];

  private constructor(url: string, replicas: TestReplicas) {
    this.url = url;
    this.#replicas = replicas;
  }

  static async start({ server, name, repo, command, program }: SupervisedOptions): Promise<SupervisedReplicas> {
    const url = await server.createDatabase(name);
    const config = configureCiFactory(repo, command);
    const replicas = new TestReplicas(url, { config, ...(program === undefined ? {} : { program }) });
    const supervised = new SupervisedReplicas(url, replicas);
    for (let count = 0; count < 2; count += 1) await supervised.#add(await PostgresProxy.start(server.url));
    supervised.uid = await applyCiFactory(supervised.daemons[0]!);
    return supervised;
  }

  get daemons(): DaemonProcess[] {
    return this.#all.map(({ daemon }) => daemon);
  }

  /** The URLs of the webhook at the replicas. */
  webhookUrls(uid = this.uid): string[] {
    return this.daemons.map(({ ingressUrl }) => `${ingressUrl}/webhooks/w/${uid}`);
  }

  proxyOf(daemon: DaemonProcess): PostgresProxy {
    return this.#find(daemon).proxy;
  }

  /** Starts the replica again with this environment. Resolves when it serves. */
  async restart(daemon: DaemonProcess, env: Record<string, string>): Promise<DaemonProcess> {
    const supervised = this.#find(daemon);
    supervised.env = env;
    await daemon.end('SIGTERM');
    await eventually(() => supervised.isUp && supervised.daemon !== daemon, RECOVERED_MS);
    return supervised.daemon;
  }

  /** The replica that leads and the other one, when both run. */
  findLeader(): Promise<{ leader: DaemonProcess; follower: DaemonProcess }> {
    return eventually(async () => {
      const adminUrl = await withClient(this.url, async (client) => {
        const { rows } = await client.query(
          `SELECT description::json ->> 'adminUrl' AS url FROM replicas JOIN leadership ON replica = id`,
        );
        return rows[0]?.url as string | undefined;
      });
      const leader = this.daemons.find((daemon) => daemon.adminUrl === adminUrl);
      const follower = this.daemons.find((daemon) => daemon !== leader);
      const isReady = leader !== undefined && follower !== undefined && this.#all.every(({ isUp }) => isUp);
      return isReady ? { leader, follower } : null;
    }, RECOVERED_MS);
  }

  /** Do both replicas accept deliveries? */
  async isReady(): Promise<boolean> {
    const isReady = async ({ ingressUrl }: DaemonProcess) =>
      (await fetch(`${ingressUrl}/readyz`).catch(() => null))?.status === 200;
    const ready = await Promise.all(this.daemons.map(isReady));
    return this.#all.every(({ isUp }) => isUp) && ready.every(Boolean);
  }

  async untilReady(): Promise<void> {
    await eventually(() => this.isReady(), RECOVERED_MS);
  }

  /** Sends a request to the management API of any replica until the leader answers. */
  ask(path: string, init: Parameters<DaemonProcess['api']>[1] = {}): Promise<ApiAnswer> {
    let attempts = 0;
    return eventually(async () => {
      attempts += 1;
      const answer = await this.daemons[attempts % 2]!.api(path, init).catch(() => null);
      return answer !== null && answer.status < 300 ? answer : null;
    }, RECOVERED_MS);
  }

  /** The last failed start, and the end of what the replicas logged, for the message of a failure. */
  describe(): string {
    const logs = this.daemons.map(({ output }) => output());
    return [...this.#failures.slice(-1), ...logs].map((text) => text.slice(-3000)).join('\n---\n');
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.daemons.map((daemon) => daemon.end('SIGTERM')));
    await Promise.all(this.#all.map(({ proxy }) => proxy.close()));
  }

  #find(daemon: DaemonProcess): Supervised {
    return this.#all.find((supervised) => supervised.daemon === daemon)!;
  }

  async #add(proxy: PostgresProxy): Promise<void> {
    const daemon = await this.#replicas.start(undefined, this.#throughProxy(proxy, {}));
    const supervised: Supervised = { daemon, proxy, isUp: true, env: {} };
    this.#all.push(supervised);
    void this.#supervise(supervised);
  }

  #throughProxy(proxy: PostgresProxy, env: Record<string, string>): Partial<TestDaemonOptions> {
    return { config: { storage: { type: 'postgres', url: proxy.urlOf(this.url) } }, env };
  }

  async #supervise(supervised: Supervised): Promise<void> {
    while (!this.#isOver) {
      const { daemon, proxy } = supervised;
      this.exits.push(await daemon.exited);
      supervised.isUp = false;
      if (this.#isOver) return;
      while (!supervised.isUp && !this.#isOver) {
        const starting = this.#replicas.start(daemon.dataDir, this.#throughProxy(proxy, supervised.env));
        await starting.then(
          (started) => Object.assign(supervised, { daemon: started, isUp: true }),
          (error) => this.#failures.push(String(error)),
        );
      }
    }
  }
}
