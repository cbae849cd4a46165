import type { LogTime } from '../domain/words/log-times.ts';
import type { ApiClient } from './create-api-client.ts';
import { readAnswer } from './read-answer.ts';

const MAX_ENTRIES = 10_000;

type Answer = { data: LogTime[]; next_offset: number | null };

/**
 * Reads when the output of a run, or of one attempt, was written. Read the output first, then the times: each part of the
 * output has its entry then.
 */
export class LogTimesReader {
  readonly #readPage: (offset: number) => Promise<Answer>;
  #times: readonly LogTime[] = [];

  constructor(api: ApiClient, { id, attempt }: { id: string; attempt: number | undefined }) {
    this.#readPage = (offset) => {
      const params = { path: { id }, query: { offset, limit: MAX_ENTRIES, attempt } };
      return readAnswer(api.GET('/api/v1/runs/{id}/log/times', { params }));
    };
  }

  /** The entries so far, oldest first. The same object until entries are added. */
  get times(): readonly LogTime[] {
    return this.#times;
  }

  /** Reads the entries that were added since the last call. */
  async update(): Promise<void> {
    let next: number | null = this.#times.at(-1)?.offset ?? 0;
    while (next !== null) {
      const { data, next_offset } = await this.#readPage(next);
      this.#add(data);
      next = next_offset;
    }
  }

  /** The first entry of a page may be the last known one. */
  #add(read: readonly LogTime[]): void {
    const last = this.#times.at(-1)?.offset ?? -1;
    const added = read.filter(({ offset }) => offset > last);
    if (added.length > 0) this.#times = [...this.#times, ...added];
  }
}
