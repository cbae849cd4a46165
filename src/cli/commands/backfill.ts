import type { BackfillAnswer, Webhook } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { isStoredStatus } from '../../domain/words/deliveries.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { GithubClient } from '../backfill/github-client.ts';
import {
  findHooks,
  type GithubDelivery,
  type GithubHook,
  listSince,
  readRequest,
  readTarget,
} from '../backfill/github-deliveries.ts';
import { requireGithubIdentity } from '../backfill/github-identity.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, listWebhooks, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { type InstantOption, instantOption, toInstant } from '../input/value-options.ts';
import { formatAge } from '../output/format-time.ts';
import { startProgress } from '../output/progress.ts';
import type { Column } from '../output/table.ts';

interface BackfillOptions extends ConfirmOptions {
  webhook?: string;
  since: InstantOption;
  apiUrl: string;
}

const TOKEN_VARIABLE = 'DOCKBELL_CONNECT_TOKEN';
/** GitHub stores deliveries for this time. */
const DEFAULT_SINCE_MS = 3 * 24 * 60 * 60_000;
const MAX_LIMITED_ATTEMPTS = 10;

/** `dockbell backfill …`: deliveries that the daemon missed, from the API of their provider. */
export function declareBackfill(backfill: CliCommand, bind: Bind): void {
  backfill
    .command('github')
    .argument('<target>', 'a repository as ORG/REPO, or an organization as ORG')
    .description('list the deliveries of GitHub that the daemon did not accept, and post them after a confirmation')
    .option('--webhook <name>', `only for this webhook: ${WEBHOOK_ARGUMENT}. Default: all webhooks of the factory`)
    .addOption(
      instantOption('--since <time>', 'only deliveries that GitHub made at this time or later').default(
        { agoMs: DEFAULT_SINCE_MS },
        '3d, the time for which GitHub stores deliveries',
      ),
    )
    .option('--api-url <url>', 'address of the API, for GitHub Enterprise Server', 'https://api.github.com')
    .option('-y, --yes', 'do not ask for confirmation; required if standard input is not a terminal')
    .withDryRun()
    .withJson()
    .explain({
      negative: 'a delivery could not be posted',
      examples: [
        ['dockbell backfill github acme/api --dry-run', 'what the daemon missed in the last three days'],
        ['dockbell backfill github acme --since 6h --yes', 'post what an organization sent during an outage'],
      ],
      more: `The token of GitHub is read from ${TOKEN_VARIABLE}. It needs the permission to read webhooks. Deliveries keep their IDs, so a second backfill finds nothing.`,
    })
    .action(bind(backfillGithub));
}

/** A delivery of GitHub that the log does not have as accepted. */
interface Missed {
  hook: GithubHook;
  delivery: GithubDelivery;
}

async function backfillGithub(session: CommandSession, options: BackfillOptions, target: string): Promise<number> {
  const { output } = session;
  const path = readTarget(target);
  const token = session.context.env[TOKEN_VARIABLE];
  if (!token)
    throw new CliError(`${TOKEN_VARIABLE} is not set.`, { code: 'unauthorized', hint: 'Set it to a token of GitHub.' });
  const client = new GithubClient({ apiUrl: readApiUrl(options.apiUrl), token, context: session.context });
  const { examined, missed } = await findMissed(session, options, client, path);
  if (!options.json) printMissed(session, examined, missed);
  if (missed.length === 0 || options.dryRun) {
    if (options.json) output.json({ examined, missed: missed.map(describeMissed) });
    return EXIT_CODES.done;
  }
  await requireYes(session, options, missed.length);
  const outcomes = await postAll(session, client, missed);
  if (options.json) output.json({ examined, missed: missed.map(describeMissed), outcomes });
  else printOutcomes(session, outcomes);
  return outcomes.every(({ problem }) => problem === null) ? EXIT_CODES.done : EXIT_CODES.negative;
}

function readApiUrl(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text)) return text.replace(/\/+$/, '');
  throw new CliError(`'${escapeText(text)}' is not an http or https URL.`, {
    hint: 'Use a URL such as https://github.example.com/api/v3.',
  });
}

async function findMissed(
  session: CommandSession,
  options: BackfillOptions,
  client: GithubClient,
  target: string,
): Promise<{ examined: number; missed: Missed[] }> {
  const { webhook } = options;
  const webhooks = webhook === undefined ? await listWebhooks(session) : [await findWebhook(session, webhook)];
  const hooks = await findHooks(client, target, webhooks);
  if (hooks.length === 0) {
    throw new CliError(`No webhook of GitHub at ${target.slice(1)} posts to a webhook of this factory.`, {
      code: 'not_found',
      hint: "Compare its payload URL with 'dockbell webhook show'.",
    });
  }
  for (const hook of hooks) requireGithubIdentity(hook.webhook);
  const sinceMs = Date.parse(toInstant(options.since, session.nowMs)!);
  const missed: Missed[] = [];
  let examined = 0;
  for (const hook of hooks) {
    const deliveries = await listSince(client, hook, sinceMs);
    examined += deliveries.length;
    for (const delivery of deliveries) {
      if (!(await isAccepted(session, hook.webhook, delivery.guid))) missed.push({ hook, delivery });
    }
  }
  return { examined, missed };
}

async function isAccepted(session: CommandSession, { factory, uid }: Webhook, guid: string): Promise<boolean> {
  const api = await session.api();
  const params = { path: { factory, uid }, query: { delivery_id: guid, label: 'Accepted' as const, limit: 1 } };
  const { data } = await readAnswer(api.GET('/api/v1/factories/{factory}/webhooks/{uid}/deliveries', { params }));
  return data.length > 0;
}

function describeMissed({ hook, delivery }: Missed) {
  const { guid, event, action, delivered_at, status, status_code } = delivery;
  return { webhook: hook.webhook.name, delivery_id: guid, event, action, delivered_at, status, status_code };
}

function printMissed({ output, nowMs }: CommandSession, examined: number, missed: readonly Missed[]): void {
  output.line(
    `GitHub made ${countOf(examined, 'delivery', 'deliveries')}. The daemon did not accept ${missed.length} of them.`,
  );
  if (missed.length === 0) return;
  output.line();
  output.table(createColumns(nowMs), missed);
}

function createColumns(nowMs: number): Column<Missed>[] {
  return [
    { head: 'DELIVERY ID', text: ({ delivery }) => delivery.guid, narrow: 'whole' },
    { head: 'WEBHOOK', text: ({ hook }) => hook.webhook.name, narrow: 'whole', drop: 1 },
    { head: 'EVENT', text: ({ delivery: { event, action } }) => (action ? `${event}.${action}` : event), drop: 2 },
    { head: 'WHEN', text: ({ delivery }) => formatAge(delivery.delivered_at, nowMs), narrow: 'whole', drop: 3 },
    { head: 'AT GITHUB', text: ({ delivery: { status, status_code: code } }) => `${code} ${status}`, narrow: 'below' },
  ];
}

async function requireYes(session: CommandSession, options: BackfillOptions, count: number): Promise<void> {
  if (!options.yes && session.context.stdin.isTTY !== true) {
    throw new CliError('Standard input is not a terminal, so nothing was posted.', { hint: 'Add --yes to post them.' });
  }
  await confirm(session, options, {
    action: `Post ${countOf(count, 'delivery', 'deliveries')} to this daemon`,
    effects: [],
  });
}

/** The outcome of a missed delivery. */
interface Outcome {
  delivery_id: string;
  /** ID in the log; `null` if it was not stored. */
  delivery: string | null;
  signature: BackfillAnswer['signature'] | null;
  /** Why it was not stored; `null` if it was. */
  problem: string | null;
}

async function postAll(session: CommandSession, client: GithubClient, missed: readonly Missed[]): Promise<Outcome[]> {
  const progress = startProgress(session.context, `Posting ${countOf(missed.length, 'delivery', 'deliveries')}…`);
  const outcomes: Outcome[] = [];
  try {
    for (const one of missed) {
      outcomes.push(await postMissed(session, client, one));
      progress.update(`Posted ${outcomes.length} of ${countOf(missed.length, 'delivery', 'deliveries')}…`);
    }
    return outcomes;
  } finally {
    progress.stop();
  }
}

async function postMissed(session: CommandSession, client: GithubClient, { hook, delivery }: Missed): Promise<Outcome> {
  const fail = (problem: string) => ({ delivery_id: delivery.guid, delivery: null, signature: null, problem });
  const request = await readRequest(client, hook, delivery);
  if (request === null) return fail('GitHub does not report the request of the delivery.');
  const { factory, uid } = hook.webhook;
  const api = await session.api();
  const path = '/api/v1/factories/{factory}/webhooks/{uid}/backfills';
  const body = { delivery_id: delivery.guid, ...request };
  const post = () => session.create((headers) => api.POST(path, { params: { path: { factory, uid } }, body, headers }));
  try {
    let answer = await post();
    for (let attempt = 1; answer.status === 429 && attempt < MAX_LIMITED_ATTEMPTS; attempt += 1) {
      await session.context.sleep((answer.retry_after ?? 1) * 1000);
      answer = await post();
    }
    if (!isStoredStatus(answer.status)) return fail(`The ingress answered ${answer.status}.`);
    return { delivery_id: delivery.guid, delivery: answer.delivery, signature: answer.signature, problem: null };
  } catch (error) {
    if (error instanceof RequestFailed && error.problem.status >= 400) return fail(error.problem.detail);
    throw error;
  }
}

function printOutcomes({ output }: CommandSession, outcomes: readonly Outcome[]): void {
  const posted = outcomes.filter(({ problem }) => problem === null);
  const original = posted.filter(({ signature }) => signature === 'original').length;
  output.line(
    `Posted ${posted.length}: ${original} with the original signature, ${posted.length - original} signed again.`,
  );
  for (const { delivery_id, problem } of outcomes) {
    if (problem !== null) output.line(`Not posted: ${escapeText(delivery_id)}. ${escapeText(problem)}`);
  }
}
