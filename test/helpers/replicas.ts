import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from './test-daemon.ts';

/** The same for all replicas, in base64. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

/** Daemons that share a database. */
export class TestReplicas {
  readonly #options: TestDaemonOptions;
  readonly #daemons: TestDaemon[] = [];

  /** @param url of the database */
  constructor(url: string, options: TestDaemonOptions) {
    this.#options = {
      ...options,
      config: { ...options.config, storage: { type: 'postgres', url } },
      env: { ...options.env, DOCKBELL_MASTER_KEY: MASTER_KEY },
    };
  }

  /** Starts one more daemon in a separate data directory, or one that has ended in its own. Tests use the token of the first one. */
  async start(dataDir?: string): Promise<TestDaemon> {
    const name = `replica-${this.#daemons.length + 1}`;
    const config = { ...this.#options.config, replica: { name } };
    const daemon = await startTestDaemon({ ...this.#options, config, ...(dataDir === undefined ? {} : { dataDir }) });
    const [first] = this.#daemons;
    const token = (dir: string) => join(dir, 'admin-token');
    if (first !== undefined && dataDir === undefined) copyFileSync(token(first.dataDir), token(daemon.dataDir));
    this.#daemons.push(daemon);
    return daemon;
  }
}
