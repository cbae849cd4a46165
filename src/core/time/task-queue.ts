import { AppError } from '../errors.ts';

/** Runs work when its turn has come. */
export type TakeTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** How much may be under way and waiting. */
export interface TurnLimits {
  maxAtWork: number;
  /** Default: no limit. */
  maxWaiting?: number;
  /** Message for a caller beyond `maxWaiting`: what there is too much of. */
  refusal?: string;
}

const RETRY_AFTER_SECONDS = 2;

/** At most `maxAtWork` at a time, the others in the order of arrival. Throws `too_many_requests` beyond `maxWaiting`. */
export function createTurns({ maxAtWork, maxWaiting = Number.POSITIVE_INFINITY, refusal }: TurnLimits): TakeTurn {
  const waiting: (() => void)[] = [];
  let atWork = 0;
  const enter = (): Promise<void> => {
    if (atWork < maxAtWork) {
      atWork += 1;
      return Promise.resolve();
    }
    if (waiting.length >= maxWaiting) throw refuse(refusal);
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

function refuse(refusal = 'Too many of these requests are under way.'): AppError {
  return new AppError('too_many_requests', `${refusal} Try again in a few seconds.`, {
    details: { retryAfterSeconds: RETRY_AFTER_SECONDS },
  });
}
