import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Delivery } from '../../client/api-types.ts';
import { writeDurably } from '../../platform/files/write-durably.ts';
import type { CliContext } from '../context.ts';

/** The last delivery that was handled. */
export type Position = Pick<Delivery, 'id' | 'received_at'>;

/** What a position is for: each webhook of a daemon and each target have a separate one. */
interface PositionKey {
  url: string;
  webhook: string;
  /** `''` without a target. */
  target: string;
}

/** Stores where `dockbell listen` stopped, in a file of the user. */
export class PositionFile {
  readonly #folder: string;
  readonly #path: string;
  readonly #key: PositionKey;

  constructor({ env }: Pick<CliContext, 'env'>, key: PositionKey) {
    const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
    const name = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 32);
    this.#folder = join(state, 'dockbell', 'listen');
    this.#path = join(this.#folder, `${name}.json`);
    this.#key = key;
  }

  /** `null` if nothing is stored. */
  async read(): Promise<Position | null> {
    try {
      const { id, received_at } = JSON.parse(await readFile(this.#path, 'utf8')) as Partial<Position>;
      return typeof id === 'string' && typeof received_at === 'string' ? { id, received_at } : null;
    } catch {
      return null;
    }
  }

  async write({ id, received_at }: Position): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeDurably(this.#path, `${JSON.stringify({ ...this.#key, id, received_at })}\n`);
  }
}
