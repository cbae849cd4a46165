import type { Run } from '../../../domain/resources/run.ts';
import type { ExecutorParts, ReportAccess } from '../executor-parts.ts';
import { nameAttempt } from './compose-request.ts';

/** Number of attempts whose access is remembered. The access of the oldest one is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** The access of receivers to their attempts (`mode: async`). All requests of an attempt contain the same token. */
export class ReportTokens {
  readonly #openReports: ExecutorParts['openReports'];
  readonly #opened = new Map<string, ReportAccess>();

  constructor(openReports: ExecutorParts['openReports']) {
    this.#openReports = openReports;
  }

  async open(run: Run): Promise<ReportAccess> {
    const attempt = nameAttempt(run);
    const access = this.#opened.get(attempt) ?? (await this.#openReports(run));
    this.#opened.set(attempt, access);
    if (this.#opened.size > MAX_REMEMBERED) this.#opened.delete(this.#opened.keys().next().value!);
    return access;
  }

  /** No further request of the attempt is sent. */
  forget(attempt: string): void {
    this.#opened.delete(attempt);
  }
}
