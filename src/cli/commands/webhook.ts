import type { Capture, Handshake, SecretState, UnloggedRequests, Webhook } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { describeEventPlace, NOT_DEDUPLICATED_WORDS, WEBHOOK_IDENTITY_WORDS } from '../../domain/words/deliveries.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import { describeAcceptance, formatRate } from '../../domain/words/recent-activity.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, findWebhookOrDeleted, readWebhooks, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import type { WatchOptions } from '../follow/watch-list.ts';
import { durationOption } from '../input/value-options.ts';
import { describeFailing, describeRecentRejections } from '../output/describe-health.ts';
import { describeCommit } from '../output/describe-reconciliation.ts';
import { describeSending } from '../output/describe-sending.ts';
import { formatAge, formatInstantWithAge } from '../output/format-time.ts';
import { printList, printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';
import { registerWebhookEditCommands } from './webhook-edits.ts';

/** `dockbell webhook …`: the live webhooks. */
export function declareWebhook(webhook: CliCommand, bind: Bind): void {
  webhook
    .command('list')
    .description('list webhooks with UID, state, state of the secret, and whether deliveries are accepted')
    .option('--deleted', 'list deleted webhooks, with the commit that deleted each')
    .withWatch()
    .withResult(RESULT_KINDS.webhook)
    .explain({
      examples: [
        ['dockbell webhook list', 'all webhooks of the factory'],
        ['dockbell webhook list --deleted', 'who deleted which webhook'],
      ],
    })
    .action(bind(listOrWatchWebhooks));
  webhook
    .command('show')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description(
      'show UID, URL, authentication, last commit, accepted deliveries and requests without a log entry, and a command that sends a delivery; never the secret. Deleted webhooks are shown, too',
    )
    .withResult(RESULT_KINDS.webhook)
    .explain({
      examples: [
        ['dockbell webhook show internal-ci', 'how to send to this webhook'],
        ['dockbell webhook show internal-ci --json | jq -r .ingress_url', 'only the URL'],
      ],
    })
    .action(bind(showWebhook));
  webhook
    .command('capture')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('store rejected requests of a webhook for a limited time, so that dockbell diagnose can check them')
    .addOption(durationOption('--for <duration>', 'duration, from 1s to 1h').conflicts('off'))
    .option('--off', 'stop capturing and delete the stored requests')
    .withJson()
    .explain({
      more: 'The daemon stores the 20 most recent requests (at most 1 MiB) in memory, never on disk, and never shows them.',
      examples: [
        ['dockbell webhook capture internal-ci --for 10m', 'then ask the sender to retry'],
        ['dockbell webhook capture internal-ci --off', 'delete the stored requests'],
      ],
    })
    .action(bind(captureRejected));
  registerWebhookEditCommands(webhook, bind);
}

const MAX_CAPTURE_MS = 3_600_000;

async function captureRejected(
  session: CommandSession,
  options: { for?: number; off?: boolean; json?: boolean },
  nameOrUid: string,
): Promise<number> {
  const { for: forMs, off } = options;
  if (forMs === undefined && !off)
    throw new CliError('Specify a duration, such as --for 10m, or --off to stop capturing.');
  if (forMs !== undefined && (forMs < 1000 || forMs > MAX_CAPTURE_MS)) {
    throw new CliError('The duration must be from 1s to 1h.');
  }
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const api = await session.api();
  const capture =
    forMs === undefined
      ? await readAnswer(
          api.DELETE('/api/v1/factories/{factory}/webhooks/{uid}/capture', { params: { path: { factory, uid } } }),
        ).then(() => null)
      : await readAnswer(
          api.POST('/api/v1/factories/{factory}/webhooks/{uid}/capture', {
            params: { path: { factory, uid } },
            body: { for_seconds: Math.ceil(forMs / 1000) },
          }),
        );
  if (options.json) session.output.json(capture);
  else session.output.line(describeWindow(name, capture));
  return EXIT_CODES.done;
}

function describeWindow(name: string, capture: Capture | null): string {
  if (capture === null) return `Rejected requests to ${escapeText(name)} are no longer stored.`;
  return `Rejected requests to ${escapeText(name)} are stored until ${capture.until}. Ask the sender to retry, then run 'dockbell diagnose ID'.`;
}

async function listOrWatchWebhooks(
  session: CommandSession,
  options: WatchOptions & { deleted?: boolean },
): Promise<number> {
  if (!options.watch) return listWebhookRows(session, options);
  const { watchList } = await import('../follow/watch-list.ts');
  return watchList(session, options, { factory: await session.factory(), print: listWebhookRows });
}

async function listWebhookRows(
  session: CommandSession,
  options: WatchOptions & { deleted?: boolean },
): Promise<number> {
  const page = await readWebhooks(session, { deleted: options.deleted });
  await printList(session, options, {
    kind: RESULT_KINDS.webhook,
    page,
    columns: options.deleted ? createDeletedColumns(session.nowMs) : createColumns(session.nowMs),
    empty: options.deleted
      ? 'No webhook was deleted.'
      : "No webhooks. Commit webhooks/<name>.yaml, or run 'dockbell webhook create NAME' in a managed or live factory.",
  });
  return EXIT_CODES.done;
}

function createDeletedColumns(nowMs: number): Column<Webhook>[] {
  return [
    { head: 'NAME', text: ({ name }) => name, narrow: 'whole' },
    { head: 'UID', text: ({ uid }) => uid, narrow: 'whole', drop: 1 },
    { head: 'DELETED', text: ({ deleted_at }) => formatAge(deleted_at, nowMs), narrow: 'whole' },
    { head: 'AUTHOR', text: ({ commit }) => commit?.author ?? '-', drop: 2 },
    { head: 'SUBJECT', text: ({ commit }) => commit?.subject ?? '-', minWidth: 24, drop: 3 },
  ];
}

function createColumns(nowMs: number): Column<Webhook>[] {
  return [
    { head: 'NAME', text: (webhook) => webhook.name, narrow: 'whole' },
    { head: 'UID', text: (webhook) => webhook.uid, narrow: 'whole', drop: 1 },
    { head: 'AUTHENTICATION', text: describeMode, narrow: 'whole', drop: 3 },
    {
      head: 'STATE',
      text: ({ enabled, served }) => (served ? 'enabled' : enabled ? 'not served' : 'disabled'),
      color: ({ enabled, served }, colors) => (served ? colors.green : enabled ? colors.red : colors.dim),
      narrow: 'whole',
    },
    {
      head: 'SECRET',
      text: (webhook) => webhook.secret_state,
      color: ({ secret_state }, colors) =>
        secret_state === 'current' ? colors.green : secret_state === 'missing' ? colors.red : colors.yellow,
      narrow: 'whole',
    },
    { head: 'LAST DELIVERY', text: (webhook) => formatAge(webhook.last_delivery_at, nowMs), narrow: 'whole', drop: 2 },
    {
      head: 'ACCEPTED',
      text: ({ traffic: { acceptance_rate: rate } }) => (rate === null ? '-' : formatRate(rate)),
      narrow: 'whole',
      drop: 2,
    },
    {
      head: 'FAILING CREDENTIAL',
      text: ({ traffic }) => describeFailing(traffic, nowMs) ?? describeRecentRejections(traffic, nowMs) ?? '-',
      color: ({ traffic }, colors) =>
        traffic.credential_failing === null && traffic.rejections === null ? colors.dim : colors.red,
      narrow: 'below',
    },
  ];
}

function describeMode({ auth_mode, signature_scheme }: Webhook): string {
  return signature_scheme === null ? auth_mode : `${auth_mode} (${signature_scheme})`;
}

async function showWebhook(session: CommandSession, options: ResultOptions, nameOrUid: string): Promise<number> {
  const webhook = await readWebhook(session, await findWebhookOrDeleted(session, nameOrUid));
  const print = () => printDetails(session, webhook);
  await printObject(session, options, { kind: RESULT_KINDS.webhook, value: webhook, print });
  return EXIT_CODES.done;
}

async function printDetails(session: CommandSession, webhook: Webhook): Promise<void> {
  printWebhook(session, webhook);
  await printIdentity(session, webhook);
  printUnlogged(session, webhook);
  await printHandshakes(session, webhook);
  if (webhook.deleted_at === null) printSending(session, webhook);
}

/** Lists of webhooks have no counts of requests. */
async function readWebhook(session: CommandSession, { factory, uid }: Webhook): Promise<Webhook> {
  const api = await session.api();
  return readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }));
}

function printWebhook(session: CommandSession, webhook: Webhook): void {
  const { output, nowMs } = session;
  output.fields([
    ['Name', webhook.name],
    ['UID', webhook.uid],
    ['Description', webhook.description],
    ['URL', webhook.ingress_url],
    ['Authentication', describeMode(webhook)],
    ['Signature', webhook.signature && JSON.stringify(webhook.signature)],
    ['State', describeState(webhook)],
    ['Capture', webhook.capture && `until ${webhook.capture.until}, ${webhook.capture.kept} stored`],
    ['Secret', describeSecret(webhook.secret_name, webhook.credential_state)],
    ['Previous secret', describeOverlap(webhook, nowMs)],
    ['Verify token', describeVerifyToken(webhook)],
    ['Body format', webhook.body_format === 'form' ? 'form' : null],
    ['Form field', webhook.form_field],
    ['Delivery ID header', webhook.delivery_id_header],
    ['Delivery ID path', webhook.delivery_id_path],
    ['Event name', webhook.event && describeEventPlace(webhook.event)],
    ['Serves', webhook.serves],
    ['Names', webhook.names && JSON.stringify(webhook.names)],
    ['Bot username', webhook.bot_username],
    ['Ignored actors', webhook.ignore_actors.join(', ') || null],
    ['Recorded headers', webhook.record_headers.join(', ') || null],
    ['Expected every', webhook.expect_every],
    ['File', webhook.file],
    ['Revision', webhook.revision],
    [webhook.deleted_at === null ? 'Commit' : 'Deleted by', describeCommit(webhook.commit)],
    ['Committed', webhook.commit && formatInstantWithAge(webhook.commit.committed_at, nowMs)],
    ['Commit page', webhook.commit?.url ?? null],
    ['Created', formatInstantWithAge(webhook.created_at, nowMs)],
    ['Updated', formatInstantWithAge(webhook.updated_at, nowMs)],
    ['Last delivery', formatInstantWithAge(webhook.last_delivery_at, nowMs)],
    ['Requests', describeAcceptance(webhook.traffic)],
    ['Failing credential', describeFailing(webhook.traffic, nowMs)],
    ['Rejections', describeRecentRejections(webhook.traffic, nowMs)],
  ]);
}

function describeState({ deleted_at, enabled, served }: Webhook): string {
  if (deleted_at !== null) return `deleted ${deleted_at}: senders get 404`;
  if (!enabled) return 'disabled: senders get 404';
  return served
    ? 'enabled'
    : "not served, because its factory is not in the configuration: senders get 404. See 'dockbell status'";
}

const SECRET_WORDS = {
  current: () => 'current',
  outdated: () =>
    'outdated: a newer value exists. The next commit applies it. In a managed or live factory: disable and enable the webhook',
  missing: (name: string) =>
    `missing: the name was deleted, and the next apply will fail. Run 'dockbell secret create ${name}'`,
} satisfies Record<SecretState, (name: string) => string>;

function describeSecret(name: string, state: SecretState): string {
  return `${name}, ${SECRET_WORDS[state](name)}`;
}

/** The previous version of the secret. `null` if the webhook never accepts it. */
function describeOverlap(
  { rotation_overlap: overlap, previous_secret_until: until }: Webhook,
  nowMs: number,
): string | null {
  if (until !== null && Date.parse(until) > nowMs) return `accepted until ${until}`;
  return Number.parseInt(overlap, 10) === 0 ? null : `accepted for ${overlap} after an apply that changes the secret`;
}

function describeVerifyToken({ verify_token_secret_name: name, verify_token_state: state }: Webhook): string | null {
  return name === null || state === null ? null : describeSecret(name, state);
}

/** What identifies a delivery; a warning if identical bodies count as duplicates (decisions, "Identity"). */
async function printIdentity(session: CommandSession, webhook: Webhook): Promise<void> {
  const { output } = session;
  if (!webhook.deduplicate) {
    output.line();
    output.line(NOT_DEDUPLICATED_WORDS);
    return;
  }
  const observed = await observeIdentities(session, webhook);
  const warns = ['service header or body', 'body'].includes(webhook.identified_by) || observed.byBody > 0;
  output.line();
  output.line(
    warns
      ? output.colors.yellow(WEBHOOK_IDENTITY_WORDS[webhook.identified_by])
      : WEBHOOK_IDENTITY_WORDS[webhook.identified_by],
  );
  if (observed.byBody > 0) {
    output.line(
      `Of the ${observed.identified} most recent deliveries, ${observed.byBody} had no ID and were identified by their body.`,
    );
  }
}

const OBSERVED_DELIVERIES = 20;

/** The number of recent deliveries with an identity, and the number that only the body identifies. */
async function observeIdentities(
  session: CommandSession,
  webhook: Webhook,
): Promise<{ identified: number; byBody: number }> {
  const api = await session.api();
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', {
      params: { path: webhook, query: { limit: OBSERVED_DELIVERIES } },
    }),
  );
  const sources = data.flatMap((delivery) => delivery.delivery_id_source ?? []);
  return { identified: sources.length, byBody: sources.filter((source) => source === 'body_hash').length };
}

/** Prints the number of requests that the delivery log does not contain, if any. */
function printUnlogged({ output, nowMs }: CommandSession, { unlogged_requests: requests = [] }: Webhook): void {
  if (requests.length === 0) return;
  const columns: Column<UnloggedRequests>[] = [
    { head: 'REASON', text: ({ reason }) => reason, color: (_, colors) => colors.yellow, narrow: 'whole' },
    { head: 'RESPONSE', text: ({ status }) => String(status ?? '-'), narrow: 'whole', drop: 2 },
    { head: 'LAST HOUR', text: ({ last_hour }) => String(last_hour), narrow: 'whole', drop: 1 },
    { head: 'LAST 24 H', text: ({ last_24_hours }) => String(last_24_hours), narrow: 'whole' },
    { head: 'LAST', text: ({ last_at }) => formatAge(last_at, nowMs), narrow: 'whole' },
    { head: 'MEANS', text: ({ reason_text }) => reason_text, narrow: 'below' },
  ];
  output.line();
  output.line(output.colors.bold('Requests without an entry in the delivery log:'));
  output.line();
  output.table(columns, requests);
}

const SHOWN_HANDSHAKES = 5;

/** Prints the requests with which providers checked the URL, if any. */
async function printHandshakes(session: CommandSession, webhook: Webhook): Promise<void> {
  const { output, nowMs } = session;
  const api = await session.api();
  const { data } = await readAnswer(
    api.GET('/api/v1/factories/{factory}/webhooks/{uid}/handshakes', {
      params: { path: webhook, query: { limit: SHOWN_HANDSHAKES } },
    }),
  );
  if (data.length === 0) return;
  output.line();
  output.line(output.colors.bold('Most recent handshakes:'));
  output.line();
  output.table(createHandshakeColumns(nowMs), data);
}

function createHandshakeColumns(nowMs: number): Column<Handshake>[] {
  return [
    { head: 'WHEN', text: ({ received_at }) => formatAge(received_at, nowMs), narrow: 'whole' },
    { head: 'HANDSHAKE', text: ({ handshake }) => handshake, narrow: 'whole' },
    {
      head: 'OUTCOME',
      text: ({ outcome, count }) => (count === 1 ? outcome : `${outcome} (${count} times)`),
      color: ({ outcome }, colors) => (outcome === 'failed' || outcome === 'refused' ? colors.yellow : colors.green),
      narrow: 'whole',
    },
    { head: 'FROM', text: ({ client_address }) => client_address, narrow: 'whole', drop: 1 },
    { head: 'DETAIL', text: ({ detail }) => detail ?? '', narrow: 'below' },
  ];
}

function printSending(session: CommandSession, webhook: Webhook): void {
  const { output } = session;
  output.line();
  const secret =
    webhook.auth_mode === 'signature' ? '' : ` (${escapeText(webhook.secret_name)} in the shell contains the secret)`;
  output.line(output.colors.bold(`To send to it${secret}:`));
  output.line();
  for (const text of describeSending(webhook, session.named ?? null)) output.line(escapeLines(text));
}
