import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DaemonProcess,
  type LaunchedDaemon,
  launchTestDaemon,
  startTestDaemon,
  type TestDaemonOptions,
} from './test-daemon.ts';

/** The same for all replicas, in base64. */
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64');

/** Daemons that share a database. */
export class TestReplicas {
  readonly #options: TestDaemonOptions;
  readonly #daemons: DaemonProcess[] = [];

  /**
   * @param url of the database
   * @param options with the other keys of `storage`
   */
  constructor(url: string, options: TestDaemonOptions) {
    this.#options = {
      ...options,
      config: { ...options.config, storage: { type: 'postgres', url, ...Object(options.config.storage) } },
      env: { ...options.env, DOCKBELL_MASTER_KEY: MASTER_KEY },
    };
  }

  /**
   * Starts one more daemon in a separate data directory, or one that has ended in its own. Tests use the token of the first one.
   *
   * @param changes for this start
   */
  async start(dataDir?: string, changes: Partial<TestDaemonOptions> = {}): Promise<DaemonProcess> {
    const daemon = await startTestDaemon(this.#compose(dataDir, changes));
    const [first] = this.#daemons;
    const token = (dir: string) => join(dir, 'admin-token');
    if (first !== undefined && dataDir === undefined) copyFileSync(token(first.dataDir), token(daemon.dataDir));
    this.#daemons.push(daemon);
    return daemon;
  }

  /** Starts a daemon, as `start`, that may end before it accepts requests. */
  launch(dataDir?: string, changes: Partial<TestDaemonOptions> = {}): LaunchedDaemon {
    return launchTestDaemon(this.#compose(dataDir, changes));
  }

  #compose(dataDir: string | undefined, changes: Partial<TestDaemonOptions>): TestDaemonOptions {
    const name = `replica-${this.#daemons.length + 1}`;
    return {
      ...this.#options,
      ...changes,
      config: {
        ...this.#options.config,
        replica: { ...(this.#options.config?.replica as object), name },
        ...changes.config,
      },
      env: { ...this.#options.env, ...changes.env },
      ...(dataDir === undefined ? {} : { dataDir }),
    };
  }
}
