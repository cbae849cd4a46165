import { AppError } from '../../core/errors.ts';

/** Runs work when its turn has come. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** At most `maxAtWork` at a time, the others in the order of their coming; throws `too_many_requests` beyond `maxWaiting`. */
export function createTurns(maxAtWork: number, maxWaiting: number): TakeTurn {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  const enter = (): Promise<void> => {
    if (atWork < maxAtWork) {
      atWork += 1;
      return Promise.resolve();
    }
    if (waiting.length >= maxWaiting) throw tooMany();
    return new Promise((resolve) => waiting.push(resolve));
  };
  // Who leaves hands the place on, so that nobody slips in between.
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) atWork -= 1;
    else next();
  };
  return async (work) => {
    await enter();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function tooMany(): AppError {
  return new AppError('too_many_requests', 'Too many people sign in at this moment. Try again in a few seconds.', {
    details: { retryAfterSeconds: 2 },
  });
}
