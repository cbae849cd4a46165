import type { Pause, PauseControl, PauseTable } from '../domain/ports/pauses.ts';
import type { Clock } from '../domain/time/clock.ts';
import { explainPause } from './explain-wait.ts';
import type { RunEvents } from './run-events.ts';

interface PauseParts {
  table: PauseTable;
  clock: Pick<Clock, 'wallMs'>;
  events: RunEvents;
}

/** The pauses, for everything that shows them. A claim reads the stored ones. */
export class RunPauses implements PauseControl {
  readonly #parts: PauseParts;
  #pauses: readonly Pause[] = [];

  constructor(parts: PauseParts) {
    this.#parts = parts;
  }

  async reload(): Promise<void> {
    this.#pauses = await this.#parts.table.list();
  }

  list(): readonly Pause[] {
    return this.#pauses;
  }

  explain(factory: string, automation: string): string | null {
    const ofFactory = this.#pauses.filter((pause) => pause.factory === factory);
    const pause = ofFactory.find((each) => each.automation === '' || each.automation === automation);
    return pause === undefined ? null : explainPause(pause);
  }

  async pause(...[paused, by]: Parameters<PauseControl['pause']>): Promise<Pause> {
    const { table, clock } = this.#parts;
    const pause = { ...paused, pausedAt: clock.wallMs(), pausedBy: by };
    await table.pause(pause);
    await this.reload();
    return pause;
  }

  async resume(paused: Pick<Pause, 'factory' | 'automation'>): Promise<void> {
    await this.#parts.table.resume(paused);
    await this.reload();
    this.#parts.events.emit('startable', paused.factory);
  }
}
