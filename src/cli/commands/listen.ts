import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { readInput } from '../input/read-input.ts';
import { decodeSecretText, requireNotEmpty } from '../input/read-secret-value.ts';
import { countOption, type InstantOption, instantOption, toInstant } from '../input/value-options.ts';
import { createDevForward, createUrlForward, type Forward } from '../listen/forward.ts';
import { listenToWebhook } from '../listen/listen-to-webhook.ts';
import { PositionFile } from '../listen/position-file.ts';

interface ListenOptions {
  forward?: string;
  since?: InstantOption | 'last';
  retry?: number;
  secretFile?: string;
  json?: boolean;
}

const MAX_RETRIES = 1_000;

/** `dockbell listen`: follows the accepted deliveries of a webhook, and posts them to another place. */
export function declareListen(command: CliCommand, bind: Bind): void {
  command
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .option('--forward <target>', "post each delivery to this URL, or to the 'dockbell dev' of this folder")
    .addOption(sinceOption())
    .addOption(
      countOption('--retry <count>', 'repeat a forward that failed at most this often (default: never)', MAX_RETRIES),
    )
    .option('--secret-file <file>', 'authenticate forwarded requests with the secret in this file, as the sender does')
    .withJson('one object on each line: the delivery as in the API, and how the target answered,')
    .explain({
      more:
        'The role viewer is sufficient. Deliveries arrive in the order of the log, each once: after a lost connection, the\n' +
        'command continues with the next one. --since last continues where the last call for this webhook and target stopped.\n' +
        'A forwarded request has the exact bytes of the body and the recorded headers. Credentials and signatures are never\n' +
        "recorded: use --secret-file or DOCKBELL_SEND_SECRET to sign again, or forward to a 'dockbell dev', which signs with\n" +
        'its own secret. A delivery is forwarded when the target has answered the one before.',
      examples: [
        ['dockbell listen github', 'print deliveries as they are accepted'],
        ['dockbell listen github --forward http://127.0.0.1:3000/hooks --since last', 'continue where it stopped'],
        [
          'dockbell listen github --url https://dockbell.example.com --forward .',
          "to the 'dockbell dev' of this folder",
        ],
        ['dockbell listen github --since 2h --json', 'the deliveries of the last two hours, then new ones'],
      ],
    })
    .action(bind(listen));
}

function sinceOption(): Option {
  const times = instantOption('--since <time>', '');
  return new Option(
    '--since <time>',
    'begin with deliveries received at this time (RFC 3339, or a duration before now, such as 2h), or with the next one after the last call (last). Default: new ones',
  ).argParser((text) => {
    if (text === 'last') return text;
    try {
      return times.parseArg!(text, undefined as never);
    } catch {
      throw new InvalidArgumentError('Use last, a time such as 2026-01-31T08:00:00Z, or a duration such as 30m or 2h.');
    }
  });
}

async function listen(session: CommandSession, options: ListenOptions, nameOrUid: string): Promise<number> {
  const { context } = session;
  if (options.forward === undefined && (options.retry ?? options.secretFile) !== undefined) {
    throw new CliError('--retry and --secret-file require --forward.');
  }
  const target = options.forward === undefined ? null : await readTarget(options.forward, context.cwd);
  const secret = await readSecret(session, options);
  const connection = await session.connection();
  const webhook = await findWebhook(session, nameOrUid);
  const forward = target === null ? null : createForward(session, target, { webhook, secret });
  const key = { url: connection.url, webhook: webhook.uid, target: target?.text ?? '' };
  const since = options.since ?? null;
  try {
    await listenToWebhook({
      session,
      connection,
      webhook,
      since: since === null || since === 'last' ? since : { from: toInstant(since, session.nowMs)! },
      forward,
      retries: options.retry ?? 0,
      positions: new PositionFile(context, key),
      isJson: options.json === true,
      stopped: AbortSignal.any([context.catchInterrupts(), context.outputClosed]),
    });
  } finally {
    forward?.close();
  }
  return EXIT_CODES.done;
}

/** A URL, or the absolute path of a folder. */
type Target = { kind: 'url' | 'folder'; text: string };

async function readTarget(text: string, cwd: string): Promise<Target> {
  if (/^https?:\/\//i.test(text)) {
    if (URL.canParse(text)) return { kind: 'url', text };
    throw new CliError(`'${text}' is not a URL.`);
  }
  const folder = resolve(cwd, text);
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory()) return { kind: 'folder', text: folder };
  throw new CliError(`'${text}' is neither an http or https URL nor a folder.`, {
    hint: "Use a URL such as http://127.0.0.1:3000/hooks, or the folder in which 'dockbell dev' runs.",
  });
}

function createForward(
  { context }: CommandSession,
  { kind, text }: Target,
  { webhook, secret }: Pick<Parameters<typeof createUrlForward>[0], 'webhook' | 'secret'>,
): Forward {
  if (kind === 'folder') return createDevForward(text, webhook.name);
  const { newId, clock } = context;
  return createUrlForward({ url: text, webhook, secret, newId, nowMs: () => clock.wallMs() });
}

async function readSecret({ context }: CommandSession, { forward, secretFile }: ListenOptions): Promise<string | null> {
  if (forward === undefined) return null;
  if (secretFile === undefined) return context.env.DOCKBELL_SEND_SECRET || null;
  return requireNotEmpty(decodeSecretText(await readInput(context, secretFile)));
}
