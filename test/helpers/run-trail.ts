import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTempDir } from './temp-dir.ts';

/** One attempt as its command recorded it. */
export interface TrailedAttempt {
  run: string;
  /** 1 for the first that began. */
  attempt: number;
  /** Directory of the run: it is below the data directory of the daemon that executes it. */
  directory: string;
  /** Wall time in milliseconds. */
  beganAt: number;
  /** When the command was last alive, with the precision of its pauses. */
  aliveAt: number;
  hasEnded: boolean;
}

/** A command that records when it begins, that it is alive, and when it ends without a signal. */
export class RunTrail {
  readonly #file = join(createTempDir('trail'), 'trail');

  /** @param lasts in tenths of a second */
  command(lasts: number): string[] {
    const note = (what: string) => `echo "${what} $DOCKBELL_RUN_ID $(date +%s%3N) $PWD" >> ${this.#file}`;
    const stay = `n=0; while [ $n -lt ${lasts} ]; do sleep 0.1; ${note('alive')}; n=$((n+1)); done`;
    return ['/bin/sh', '-c', `${note('begin')}; ${stay}; ${note('end')}`];
  }

  attempts(): TrailedAttempt[] {
    const attempts: TrailedAttempt[] = [];
    if (!existsSync(this.#file)) return attempts;
    for (const line of readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)) {
      const [what, run = '', at, directory = ''] = line.split(' ');
      const time = Number(at);
      if (what === 'begin') {
        const attempt = attempts.filter((each) => each.run === run).length + 1;
        attempts.push({ run, attempt, directory, beganAt: time, aliveAt: time, hasEnded: false });
        continue;
      }
      const known = attempts.findLast((each) => each.run === run && each.directory === directory)!;
      known.aliveAt = time;
      if (what === 'end') known.hasEnded = true;
    }
    return attempts;
  }

  /** The highest number of attempts that were alive at the same time. */
  mostAtOnce(): number {
    const attempts = this.attempts();
    const atBegin = attempts.map(
      ({ beganAt }) => attempts.filter((other) => other.beganAt <= beganAt && other.aliveAt > beganAt).length,
    );
    return Math.max(0, ...atBegin);
  }

  /** Attempts of the same run of which one began while the earlier one was alive, as `RUN: MILLISECONDS`. */
  overlaps(): string[] {
    const attempts = this.attempts();
    return attempts.flatMap((later) => {
      const earlier = attempts.filter(({ run, attempt }) => run === later.run && attempt < later.attempt);
      const overlapping = earlier.filter(({ aliveAt }) => aliveAt >= later.beganAt);
      return overlapping.map(({ aliveAt }) => `${later.run}: ${aliveAt - later.beganAt} ms`);
    });
  }
}
