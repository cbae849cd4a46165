import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import type { AppError } from '../../domain/errors.ts';
import { copyError, PendingCalls, type Reply } from './pending-calls.ts';
import { createPortClient, type PortOperations, type PortRequest, performCall } from './port-client.ts';

type LinkMessage = { call: { id: number; request: PortRequest } } | { reply: Reply };

/**
 * Connects two threads whose ports call each other. All messages take one channel, so they arrive in the order in which
 * they were sent: what a thread reports before it answers is known before the answer.
 */
export class PortLink<Remote> {
  /** The ports of the other thread. */
  readonly remote: Remote;
  readonly #endpoint: Worker | MessagePort;
  readonly #pending = new PendingCalls();
  #end: AppError | null = null;

  /**
   * @param endpoint the worker, or in the worker its `parentPort`
   * @param own the ports that the other thread may call
   */
  constructor(endpoint: Worker | MessagePort, own: object, operations: PortOperations<Remote>) {
    this.#endpoint = endpoint;
    this.remote = createPortClient(operations, (request) => this.call(request));
    endpoint.on('message', (message: LinkMessage) => {
      if ('reply' in message) this.#pending.settle(message.reply);
      else void this.#answer(own, message.call.id, message.call.request);
    });
  }

  /** @param transfer buffers that change threads without a copy; this thread cannot read them afterwards */
  call(request: PortRequest, transfer: readonly Transferable[] = []): Promise<unknown> {
    if (this.#end !== null) return Promise.reject(this.#end);
    return this.#pending.open((id) => this.#post({ call: { id, request } }, transfer));
  }

  /** The other thread has ended: open and later calls reject with `error`. */
  end(error: AppError): void {
    this.#end ??= error;
    this.#pending.rejectAll(this.#end);
  }

  async #answer(own: object, id: number, request: PortRequest): Promise<void> {
    try {
      this.#post({ reply: { id, value: await performCall(own, request) } });
    } catch (error) {
      this.#post({ reply: { id, error: copyError(error) } });
    }
  }

  #post(message: LinkMessage, transfer: readonly Transferable[] = []): void {
    this.#endpoint.postMessage(message, transfer);
  }
}
