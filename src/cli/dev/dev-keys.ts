import { join } from 'node:path';
import type { Webhook } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import type { CliContext } from '../context.ts';
import { CliError } from '../exit-codes.ts';
import { readSampleFile } from '../input/read-sample-file.ts';
import { createDefaultBody, type Message, postTestDelivery } from '../send/test-delivery.ts';
import type { DevView } from './dev-view.ts';
import { findSample } from './find-sample.ts';
import type { WebhookChoice } from './webhook-choice.ts';

interface KeyParts {
  api: ApiClient;
  context: CliContext;
  /** Folder of the factory. */
  dir: string;
  listWebhooks: () => Promise<Webhook[]>;
  choice: WebhookChoice;
  view: DevView;
}

const MAX_WAITING = 5;

/** What the keys of `dockbell dev` do. */
export class DevKeys {
  readonly #parts: KeyParts;
  #waiting = 0;
  #done: Promise<unknown> = Promise.resolve();

  constructor(parts: KeyParts) {
    this.#parts = parts;
  }

  /** Keys take effect one after another. Those without a meaning do nothing. */
  press(key: string): void {
    // A key that is held down repeats faster than deliveries are answered.
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    this.#done = this.#done.then(() => this.#handle(key)).finally(() => (this.#waiting -= 1));
  }

  async #handle(key: string): Promise<void> {
    try {
      if (key === 's') await this.#send();
      else if (/^[1-9]$/.test(key)) await this.#choose(key);
    } catch (error) {
      this.#parts.view.showSendFailure(describeFailure(error));
    }
  }

  async #choose(key: string): Promise<void> {
    const { choice, view } = this.#parts;
    if (choice.chosen === null) await this.#listWebhooks();
    if (choice.choose(key)) view.showChosen(choice.chosen!);
  }

  async #send(): Promise<void> {
    const { api, choice, view } = this.#parts;
    const webhook = (await this.#listWebhooks()).find(({ name }) => name === choice.chosen);
    if (webhook === undefined) throw new CliError(describeMissing(choice.chosen));
    const { message, sample } = await this.#compose(webhook.name);
    view.showSending(webhook.name, sample);
    const { status } = await readAnswer(postTestDelivery(api, webhook, message));
    if (status >= 400) throw new CliError(`The response has status ${status}.`);
  }

  async #listWebhooks(): Promise<Webhook[]> {
    const webhooks = await this.#parts.listWebhooks();
    // With kept data, no apply changes anything.
    if (this.#parts.choice.chosen === null) this.#parts.choice.addChanged(webhooks.map(({ name }) => name));
    return webhooks;
  }

  /** The sample that the printed command sends, or a small event. */
  async #compose(name: string): Promise<{ message: Message; sample: string | null }> {
    const { context, dir } = this.#parts;
    const sample = await findSample(dir, name);
    if (sample === null) {
      return { message: { body: createDefaultBody(context), headers: {}, deliveryId: null }, sample: null };
    }
    const file = join(dir, 'webhooks', `${name}.samples`, `${sample.name}.json`);
    const { body, headers } = await readSampleFile(context, name, file);
    return { message: { body, headers, deliveryId: context.newId() }, sample: sample.name };
  }
}

function describeMissing(name: string | null): string {
  return name === null ? 'The factory has no webhook.' : `The webhook ${name} does not exist.`;
}

function describeFailure(error: unknown): string {
  if (error instanceof RequestFailed) return error.problem.detail;
  return error instanceof CliError ? error.message : String(error);
}
