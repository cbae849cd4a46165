import { InvalidArgumentError, Option } from 'commander';
import type { Delivery, Webhook } from '../../client/api-types.ts';
import { findAnswer } from '../../client/read-answer.ts';
import { CUSTOM } from '../../definitions/signature/schemes/custom-scheme.ts';
import { SCHEME_NAMES } from '../../definitions/signature/schemes/schemes.ts';
import { AUTH_MODES, type AuthMode } from '../../domain/resources/webhook.ts';
import { isStoredStatus } from '../../domain/words/deliveries.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { buildSenderRequest, type SenderTarget } from '../../ingress/sender/build-request.ts';
import { isSendableHeader } from '../../ingress/sender/given-headers.ts';
import { type DeliveryResponse, postDelivery } from '../../ingress/sender/post-delivery.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { waitsForConfiguration } from '../follow/follow-run-log.ts';
import { readInput } from '../input/read-input.ts';
import { readSampleFile } from '../input/read-sample-file.ts';
import { decodeSecretText, readSecretValue, requireNotEmpty } from '../input/read-secret-value.ts';
import { readData, readSignature } from '../input/read-signature.ts';
import { countOption, schemeOption } from '../input/value-options.ts';
import { findEntry, namesDeliveryInBody } from '../send/find-entry.ts';
import { createDefaultBody, type Message, postTestDelivery } from '../send/test-delivery.ts';

interface SendOptions {
  data?: string;
  sample?: string;
  header?: Record<string, string>;
  deliveryId?: string;
  repeat: number;
  secretFile?: string;
  secretStdin?: boolean;
  to?: string;
  authMode?: AuthMode;
  scheme?: string;
  signature?: string;
  deliveryIdHeader?: string;
  json?: boolean;
}

/** Posts one delivery. */
type Post = (message: Message) => Promise<DeliveryResponse>;

interface Preparation {
  post: Post;
  /** The webhook in the daemon. `null` with `--to`, which needs no daemon. */
  webhook: Webhook | null;
}

/** `dockbell send`: posts a delivery as a real sender does. */
export function declareSend(command: CliCommand, bind: Bind): void {
  command
    .argument('[webhook]', `${WEBHOOK_ARGUMENT}; omitted with --to`)
    .option(
      '--data <json>',
      'the body: text, @FILE for the exact bytes of a file, or - for standard input (default: a small new event)',
    )
    .addOption(
      new Option(
        '--sample <sample>',
        'send the body and the headers of this sample of the webhook in this folder, as a new delivery: its name, or a file',
      ).conflicts(['data', 'to']),
    )
    .addOption(
      new Option('--header <header>', "further request header, as 'name: value'; repeatable").argParser(addHeader),
    )
    .option('--delivery-id <id>', 'delivery ID of the sender')
    .addOption(countOption('--repeat <count>', 'number of times to post, sequentially', 10_000).default(1))
    .addOption(
      new Option('--secret-file <file>', 'sign in this process, with the secret in this file').conflicts('secretStdin'),
    )
    .option('--secret-stdin', 'sign in this process, with the secret from standard input')
    .option('--to <url>', 'ingress URL to post to, without a daemon; requires a secret')
    .addOption(
      new Option('--auth-mode <mode>', 'with --to: how to authenticate')
        .choices(AUTH_MODES)
        .default(undefined, 'token'),
    )
    .addOption(schemeOption('--scheme <scheme>', 'with --to: signature scheme'))
    .option('--signature <json>', 'with --to: the signature block of the webhook, as JSON or @FILE')
    .option('--delivery-id-header <name>', 'with --to: header that carries --delivery-id')
    .withJson(
      'status, headers and body of the response, and the ID of the log entry, as JSON (with --repeat, one object on each line)',
    )
    .explain({
      negative: 'a response was neither 202 nor 200',
      more:
        'Without a secret, the daemon posts to its own ingress with the stored secret, which never leaves the daemon. With\n' +
        '--secret-file, --secret-stdin or DOCKBELL_SEND_SECRET, this command signs and posts the request.',
      examples: [
        ['dockbell send internal-ci', 'a small event that is not a duplicate'],
        ['dockbell send internal-ci --data \'{"level": "fatal"}\'', 'a specific body'],
        ['dockbell send github --data @push.json --delivery-id 72d3162e', 'the exact bytes of a file'],
        ["dockbell send github --data @push.json --header 'X-GitHub-Event: push'", 'with the name of the event'],
        ['dockbell send internal-ci --sample failed-on-main', 'a sample of the factory in this folder'],
        [
          'dockbell send --to https://hooks.example.com/webhooks/w/wh_… --auth-mode signature --scheme stripe --secret-file key',
          'without a daemon',
        ],
      ],
    })
    .action(bind(send));
}

async function send(session: CommandSession, options: SendOptions, nameOrUid: string | undefined): Promise<number> {
  checkOptions(options, nameOrUid);
  const secret = await readSecret(session, options);
  const { post, webhook } = await preparePost(session, options, { nameOrUid, secret });
  const compose = await prepareMessage(session, options, webhook);
  let exitCode: number = EXIT_CODES.done;
  let last: Delivery | null = null;
  for (let i = 0; i < options.repeat; i++) {
    const message = compose();
    const answer = await post(message);
    const delivery = webhook === null ? null : await findEntry(session, webhook, message, answer);
    printAnswer(session, options, answer, delivery);
    if (!isStoredStatus(answer.status)) exitCode = EXIT_CODES.negative;
    last = delivery ?? last;
  }
  if (last !== null && !options.json) await warnOfStuckRun(session, last);
  return exitCode;
}

/** Warns if the run stays queued until somebody changes the configuration: otherwise it looks like any queued run. */
async function warnOfStuckRun(session: CommandSession, { runs: [id] }: Delivery): Promise<void> {
  if (id === undefined) return;
  const api = await session.api();
  const run = await findAnswer(api.GET('/api/v1/runs/{id}', { params: { path: { id } } }));
  if (run?.waiting == null || !waitsForConfiguration(run.waiting)) return;
  session.output.note(`Warning: the run stays queued. ${escapeText(run.waiting.reason_text)}`);
}

function checkOptions(options: SendOptions, nameOrUid: string | undefined): void {
  if ((nameOrUid === undefined) === (options.to === undefined)) {
    throw new CliError('Specify either a webhook or --to URL.');
  }
  if (
    options.to === undefined &&
    (options.authMode ?? options.scheme ?? options.signature ?? options.deliveryIdHeader) !== undefined
  ) {
    throw new CliError(
      '--auth-mode, --scheme, --signature and --delivery-id-header require --to. For a named webhook, the daemon knows them.',
    );
  }
  if (options.to !== undefined && (options.authMode === 'signature') !== (options.scheme !== undefined)) {
    throw new CliError('--scheme and --auth-mode signature require each other.', {
      hint: `Schemes: ${[...SCHEME_NAMES, CUSTOM].join(', ')}.`,
    });
  }
  if (options.secretStdin && options.data === '-') {
    throw new CliError('Secret and body cannot both come from standard input.');
  }
}

/** The secret to sign with in this process. `null` if the daemon signs with its stored secret. */
async function readSecret(session: CommandSession, options: SendOptions): Promise<string | null> {
  const { context } = session;
  if (options.secretStdin) return readSecretValue(context, 'Secret');
  if (options.secretFile !== undefined) {
    return requireNotEmpty(decodeSecretText(await readInput(context, options.secretFile)));
  }
  const fromEnvironment = context.env.DOCKBELL_SEND_SECRET || null;
  if (fromEnvironment !== null || options.to === undefined) return fromEnvironment;
  throw new CliError('--to requires the secret of the webhook.', {
    hint: 'Pass it with --secret-file, --secret-stdin or DOCKBELL_SEND_SECRET.',
  });
}

/** Collects repeated options. */
function addHeader(text: string, earlier: Record<string, string> = {}): Record<string, string> {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0)).trim();
  if (!isSendableHeader(name)) {
    throw new InvalidArgumentError("Use 'name: value', and no header of the connection or with a credential.");
  }
  return { ...earlier, [name]: text.slice(colon + 1).trim() };
}

/** Returns what composes each message. A sample is a new delivery each time, and any other body as the options say. */
async function prepareMessage(
  session: CommandSession,
  options: SendOptions,
  webhook: Webhook | null,
): Promise<() => Message> {
  const { context } = session;
  const { data, sample, header = {}, deliveryId = null } = options;
  if (sample !== undefined && webhook !== null) {
    const { body, headers } = await readSampleFile(context, webhook.name, sample);
    return () => ({ body, headers: { ...headers, ...header }, deliveryId: deliveryId ?? context.newId() });
  }
  if (data !== undefined) {
    const body = await readData(context, data);
    return () => ({ body, headers: header, deliveryId });
  }
  const needsId = deliveryId === null && webhook !== null && namesDeliveryInBody(webhook);
  return () => ({
    body: createDefaultBody(context),
    headers: header,
    deliveryId: needsId ? context.newId() : deliveryId,
  });
}

async function preparePost(
  session: CommandSession,
  options: SendOptions,
  { nameOrUid, secret }: { nameOrUid: string | undefined; secret: string | null },
): Promise<Preparation> {
  if (nameOrUid === undefined) {
    return { post: prepareSigned(session, await describeTarget(session, options), secret!), webhook: null };
  }
  const webhook = await findWebhook(session, nameOrUid);
  if (webhook.deleted_at !== null)
    throw new CliError(`Webhook ${webhook.name} was deleted: its senders get 404.`, { code: 'not_found' });
  const post = secret === null ? prepareByDaemon(session, webhook) : prepareSigned(session, toTarget(webhook), secret);
  return { post, webhook };
}

async function describeTarget(session: CommandSession, options: SendOptions): Promise<SenderTarget> {
  const url = options.to!;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CliError('The value of --to is not an http or https URL.');
  }
  return {
    ingressUrl: url,
    authMode: options.authMode ?? 'token',
    signatureScheme: options.scheme ?? null,
    signature: await readSignature(session.context, options),
    bodyFormat: 'json',
    formField: null,
    deliveryIdHeader: options.deliveryIdHeader ?? null,
    deliveryIdPath: null,
  };
}

function toTarget(webhook: Webhook): SenderTarget {
  return {
    ingressUrl: webhook.ingress_url,
    authMode: webhook.auth_mode,
    signatureScheme: webhook.signature_scheme,
    signature: webhook.signature,
    bodyFormat: webhook.body_format,
    formField: webhook.form_field,
    deliveryIdHeader: webhook.delivery_id_header,
    deliveryIdPath: webhook.delivery_id_path,
  };
}

function prepareSigned(session: CommandSession, target: SenderTarget, secret: string): Post {
  const { newId } = session.context;
  return async (message) =>
    postDelivery(buildSenderRequest(target, secret, { ...message, nowMs: session.nowMs, newId }));
}

function prepareByDaemon(session: CommandSession, webhook: Webhook): Post {
  return async (message) => {
    const api = await session.api();
    return session.create((headers) => postTestDelivery(api, webhook, message, headers));
  };
}

function printAnswer(
  { output }: CommandSession,
  options: SendOptions,
  answer: DeliveryResponse,
  delivery: Delivery | null,
): void {
  if (!options.json) {
    const paint = isStoredStatus(answer.status) ? output.colors.green : output.colors.red;
    const text = delivery === null ? escapeLines(answer.body.trim()) : describeEntry(delivery);
    output.line(`${paint(String(answer.status))} ${text}`);
    return;
  }
  const shown = { ...answer, delivery: delivery?.id ?? null };
  if (options.repeat === 1) output.json(shown);
  else output.jsonLine(shown);
}

/** The log entry: its ID, and the runs that it started. */
function describeEntry({ id, label, runs, duplicate_of: original }: Delivery): string {
  if (label === 'Duplicate')
    return escapeText(`Duplicate ${id}${original === null ? '' : ` of ${original}`}: started nothing`);
  const started = runs.length === 0 ? 'started nothing' : `started ${runs.join(', ')}`;
  return escapeText(`${label} ${id}: ${started}`);
}
