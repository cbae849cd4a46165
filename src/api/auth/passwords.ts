import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { AppError } from '../../domain/errors.ts';
import { TaskQueue } from '../../domain/time/task-queue.ts';

/** The work of one hash. */
interface HashCost {
  /** KiB of memory. */
  memoryCost: number;
  timeCost: number;
  parallelism: number;
}

/** Argon2id, the library's default, with the parameters of OWASP's "Password Storage Cheat Sheet". */
const OWASP: HashCost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };

/** Of the four threads that Node.js has for such work; files and name look-ups need the others. */
const CONCURRENCY = 2;
/** A hash takes some 30 ms: beyond this a caller would wait for seconds. */
const MAX_WAITING = 60;

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

/** Looks at each guess, one turn after another. */
interface GuessGuard {
  before(): void;
  after(isRight: boolean): void;
}

/** Hashes and compares passwords, off this thread and a few at a time. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Is it the password of that hash? `null`, for a user that does not exist, takes the same time and is never right.
   *
   * @param guard `before` runs when its turn comes; what it throws is thrown, and nothing is compared. `after` gets
   * the result before the next guess has its turn.
   */
  verify(hash: string | null, password: string, guard: GuessGuard): Promise<boolean>;
}

/** @param cost of new hashes; tests about other subjects hash faster */
export function createPasswords(cost: HashCost = OWASP): Passwords {
  const queue = new TaskQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    tooMany: 'Too many people sign in now.',
  });
  let nobodys: Promise<string> | null = null;
  return {
    hash: (password) => queue.run(() => hash(normalise(password), cost)),
    verify: (stored, password, guard) =>
      queue.run(async () => {
        guard.before();
        nobodys ??= hash(randomBytes(32), cost);
        const fallback = await nobodys;
        const isEqual = await verify(stored ?? fallback, normalise(password));
        const isRight = stored !== null && isEqual;
        guard.after(isRight);
        return isRight;
      }),
  };
}

/** The same characters however a keyboard composed them (NIST SP 800-63B, section 3.1.1.2). */
function normalise(password: string): string {
  return password.normalize('NFKC');
}

/** Throws `bad_request` for a password that must not be anybody's. */
export function requireGoodPassword(password: string, userName: string): void {
  const problem = findProblem(normalise(password), userName);
  if (problem !== null) throw new AppError('bad_request', problem);
}

function findProblem(password: string, userName: string): string | null {
  const length = [...password].length;
  if (length < MIN_CHARACTERS || length > MAX_CHARACTERS) {
    return `A password has ${MIN_CHARACTERS} to ${MAX_CHARACTERS} characters.`;
  }
  if (password.toLowerCase() === userName.toLowerCase()) return 'The password must not be the name of the user.';
  return new Set(password).size < 4 ? 'A password has at least 4 different characters.' : null;
}
