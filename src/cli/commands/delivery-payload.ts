import type { AutomationTrigger, DeliveryExplanation } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { isNotFound, readAnswer } from '../../client/read-answer.ts';
import type { Json } from '../../domain/json.ts';
import { describeLabel } from '../../domain/words/deliveries.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';
import { parseJsonBytes } from '../input/read-input.ts';
import { redactBody } from '../offline/redact-body.ts';
import { renderSample } from '../offline/render-sample.ts';

/** The exact bytes that were received. */
export async function printPayload(session: CommandSession, id: string): Promise<void> {
  printExactly(session, await readPayload(session, id, true));
}

/** Writes the exact bytes to files and pipes. On a terminal control characters are escaped. */
function printExactly({ output, context }: CommandSession, bytes: Uint8Array): void {
  if (context.stdout.isTTY === true) output.line(escapeLines(Buffer.from(bytes).toString('utf8')));
  else output.bytes(bytes);
}

/** What a sample of a delivery is made of, except what the API says about its factory. */
interface SampleRequest {
  id: string;
  explanation: DeliveryExplanation;
  /** Paths of values that the sample must not have. */
  redacted: readonly string[];
}

/** A file `webhooks/<name>.samples/<sample>.json`. */
export async function printSample(
  session: CommandSession,
  { id, explanation, redacted }: SampleRequest,
): Promise<void> {
  const { output } = session;
  const api = await session.api();
  const body = parseJsonBytes(await readPayload(session, id), 'The payload') as Json;
  redactBody(body, redacted);
  const delivery = await readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } }));
  const { factory, webhook_uid: uid } = delivery;
  const webhook = await readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }),
  );
  const triggers = await listTriggers(session, factory);
  const { text, isTooLarge } = renderSample({ delivery, webhook, triggers, explanation, body });
  printExactly(session, Buffer.from(text));
  if (redacted.length > 0)
    output.note('"starts" lists what the original delivery started. Redaction may change that: run "dockbell test".');
  if (isTooLarge)
    output.note(
      'The sample is larger than 256 KiB, so it cannot be used: remove keys from its body that no filter uses.',
    );
}

async function listTriggers(session: CommandSession, factory: string): Promise<AutomationTrigger[]> {
  const api = await session.api();
  const { data } = await listRows(
    (query) => readAnswer(api.GET('/api/v1/factories/{factory}/automations', { params: { path: { factory }, query } })),
    null,
  );
  return data.flatMap(({ triggers }) => triggers);
}

/** @param exact of a form, the form and not its JSON */
async function readPayload(session: CommandSession, id: string, exact = false): Promise<Uint8Array> {
  const api = await session.api();
  try {
    const params = { path: { id }, query: { exact } };
    const request = api.GET('/api/v1/deliveries/{id}/payload', { params, parseAs: 'arrayBuffer' });
    return new Uint8Array((await readAnswer(request)) as ArrayBuffer);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const { label } = await readAnswer(api.GET('/api/v1/deliveries/{id}', { params: { path: { id } } }));
    throw new CliError(
      `Delivery ${escapeText(id)} has no payload. ${escapeText(describeLabel(label))} Only metadata is stored for it.`,
      { code: 'not_found' },
    );
  }
}
