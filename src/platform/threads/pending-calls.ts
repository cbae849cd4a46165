import { AppError, type ErrorCode, messageOf } from '../../domain/errors.ts';

/** An error as it crosses threads: structured clones lose the class and the code. */
export interface ErrorCopy {
  code: ErrorCode;
  message: string;
  details: unknown;
}

/** The answer to one call. */
export type Reply = { id: number; value: unknown } | { id: number; error: ErrorCopy };

/** Copies an `AppError` for another thread; anything else becomes `internal`. */
export function copyError(error: unknown): ErrorCopy {
  if (error instanceof AppError) return { code: error.code, message: error.message, details: error.details };
  return { code: 'internal', message: messageOf(error), details: undefined };
}

export function restoreError({ code, message, details }: ErrorCopy): AppError {
  return new AppError(code, message, { details });
}

interface Call {
  resolve(value: unknown): void;
  reject(error: AppError): void;
}

/** Calls to another thread that wait for their reply. Both ends of a pair of threads can use it. */
export class PendingCalls {
  readonly #calls = new Map<number, Call>();
  #lastId = 0;

  /**
   * Opens a call. Rejects with what `send` throws, for example for a value that cannot be copied.
   * @param send posts the request with the number of the call
   */
  open(send: (id: number) => void): Promise<unknown> {
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      try {
        send(id);
      } catch (error) {
        this.#calls.delete(id);
        throw error;
      }
    });
  }

  /** Ends the call of a reply. Returns the error that the call was rejected with; `null` if it succeeded. */
  settle(reply: Reply): AppError | null {
    const call = this.#calls.get(reply.id);
    this.#calls.delete(reply.id);
    if ('error' in reply) {
      const error = restoreError(reply.error);
      call?.reject(error);
      return error;
    }
    call?.resolve(reply.value);
    return null;
  }

  rejectAll(error: AppError): void {
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
  }
}
