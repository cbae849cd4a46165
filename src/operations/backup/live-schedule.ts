import type { BackupSchedule } from '../../domain/ports/operations.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';
import type { BackupPolicy, ScheduledBackups } from './scheduled-backups.ts';

/** The scheduled backups of the policy in effect. */
export class LiveSchedule {
  readonly #create: (policy: BackupPolicy) => ScheduledBackups;
  /** One change after the other, so that at most one schedule works. */
  readonly #changes = new TaskQueue();
  #current: ScheduledBackups | null = null;
  #isStarted = false;

  constructor(create: (policy: BackupPolicy) => ScheduledBackups) {
    this.#create = create;
  }

  /**
   * Changes the policy; `null` for no scheduled backups. Aborts a backup that is being made: by the new policy it is due
   * again. Never rejects.
   */
  setPolicy(policy: BackupPolicy | null): Promise<void> {
    return this.#changes.run(async () => {
      await this.#current?.stop();
      const next = policy === null ? null : this.#create(policy);
      await next?.load();
      this.#current = next;
      if (this.#isStarted) next?.start();
    });
  }

  /** Makes the backups that are due, now and later. */
  start(): void {
    void this.#changes.run(async () => {
      this.#isStarted = true;
      this.#current?.start();
    });
  }

  stop(): Promise<void> {
    return this.#changes.run(async () => {
      this.#isStarted = false;
      await this.#current?.stop();
    });
  }

  /** As of the last check; `null` without scheduled backups. */
  status(): BackupSchedule | null {
    return this.#current?.status() ?? null;
  }

  /** Since when a backup is overdue; `null` if none is. */
  findOverdue(): number | null {
    return this.#current?.findOverdue() ?? null;
  }
}
