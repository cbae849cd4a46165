import type { NewWebhook, Webhook } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type Change, type ConfirmOptions, confirm, type DryRunOptions, showDryRun } from '../input/confirm.ts';
import { fieldOptions, readFieldOptions } from '../input/field-options.ts';
import { readSecretValue } from '../input/read-secret-value.ts';
import { readSignature } from '../input/read-signature.ts';
import { requireEditable } from '../input/require-editable.ts';
import { jsonOption, schemeOption } from '../input/value-options.ts';
import { describeSending } from '../output/describe-sending.ts';
import { HOSTED, NEGATIVE, registerWebhookUpdate } from './webhook-update.ts';

/** `dockbell webhook create|update|enable|disable|rotate|rename|delete`: edits of managed and live factories. */
export function registerWebhookEditCommands(webhook: CliCommand, bind: Bind): void {
  registerCreate(webhook, bind);
  registerWebhookUpdate(webhook, bind);
  registerSwitches(webhook, bind);
  registerRotate(webhook, bind);
  webhook
    .command('rename')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .argument('<new-name>', 'new name of the webhook')
    .description('rename a webhook of a live factory; its URL does not change')
    .withJson()
    .explain({ negative: NEGATIVE, examples: [['dockbell webhook rename ci build-server', 'the same UID and URL']] })
    .action(bind(renameWebhook));
  webhook
    .command('delete')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('delete a webhook: its senders get 404 immediately')
    .withYes()
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: `${HOSTED} Automations that select it stay, with a warning. Its secret stays too: see 'dockbell secret delete'.`,
      examples: [['dockbell webhook delete internal-ci', 'a webhook created again under this name has the same URL']],
    })
    .action(bind(deleteWebhook));
}

type DeleteOptions = ConfirmOptions & { json?: boolean };

/** The options of the fields (`WEBHOOK_FIELDS`), and the others. */
interface CreateOptions {
  scheme?: string;
  signature?: string;
  withSecret?: boolean;
  json?: boolean;
}

function registerCreate(webhook: CliCommand, bind: Bind): void {
  const command = webhook
    .command('create')
    .argument('<name>', 'name of the new webhook')
    .description('create a webhook, and print its URL and its secret; the secret is shown only once');
  for (const option of fieldOptions(WEBHOOK_FIELDS, 'create', {
    signatureScheme: schemeOption,
    event: jsonOption,
    names: jsonOption,
  })) {
    command.addOption(option);
  }
  command
    .option('--with-secret', "read the provider's secret from standard input (hidden when typed)")
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: `${HOSTED} If the provider issues the secret after you enter the URL, create the webhook without it. Then run\n'dockbell webhook enable NAME --with-secret'.`,
      examples: [
        ['dockbell webhook create internal-ci', 'with a generated bearer token'],
        [
          'dockbell webhook create pulls --auth-mode signature --scheme github --with-secret < secret.txt',
          'with the secret of the provider',
        ],
        [
          'dockbell webhook create orders --auth-mode signature --scheme custom --signature \'{"header": "X-Signature"}\' --with-secret < secret.txt',
          'for an internal sender',
        ],
        [
          'dockbell webhook create payments --auth-mode signature --scheme stripe',
          'disabled until its secret is stored',
        ],
      ],
    })
    .action(bind(createWebhook));
}

async function createWebhook(session: CommandSession, options: CreateOptions, name: string): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const { scheme, signature } = options;
  const block = signature === undefined ? null : await readSignature(session.context, { scheme, signature });
  const secret = options.withSecret ? await readSecretValue(session.context, `Secret of ${name}`) : undefined;
  const order = {
    ...readFieldOptions(WEBHOOK_FIELDS, 'create', options),
    ...(block === null ? {} : { signature: block }),
    name,
    secret,
  };
  const created = await session
    .create((headers) =>
      api.POST('/api/v1/factories/{factory}/webhooks', { params: { path: { factory } }, body: order, headers }),
    )
    .catch((error: unknown) => explainSecret(session, error, options));
  if (options.json) session.output.json(created);
  else printOnce(session, created, `Created the webhook ${escapeText(created.name)}.`);
  return EXIT_CODES.done;
}

/** The API names the secret by the key of its request. Here it is an option. */
async function explainSecret(
  session: CommandSession,
  error: unknown,
  { withSecret }: { withSecret?: boolean },
): Promise<never> {
  const explained = await session.explainFailure(error);
  const errors = error instanceof RequestFailed ? (error.problem.errors ?? []) : [];
  if (!(explained instanceof CliError) || !errors.some(({ pointer }) => pointer === '#/secret')) throw explained;
  const hint = withSecret
    ? "Omit --with-secret. To use your value, store it with 'dockbell secret create NAME' and add --secret-name NAME."
    : 'Add --with-secret: the value is read from standard input, and is hidden when typed.';
  const { message, code } = explained;
  throw new CliError(message, { hint, code, cause: error });
}

/** Prints URL, generated secret, and commands that send to the webhook. */
function printOnce(session: CommandSession, webhook: NewWebhook, done: string): void {
  const { output } = session;
  output.line(done);
  output.line();
  output.fields([
    ['UID', webhook.uid],
    ['URL', webhook.ingress_url],
    ['Secret', webhook.secret ?? null],
    ['Secret name', webhook.secret_name],
  ]);
  if (webhook.secret !== undefined) {
    output.line();
    output.line(output.colors.yellow('The secret is shown only once. Enter it at the sender now, or rotate it later.'));
  }
  output.line();
  if (!webhook.enabled) {
    const next = webhook.credential_state === 'missing' ? ' --with-secret' : '';
    output.line(
      `The webhook is disabled. Enter the URL at the sender, then run 'dockbell webhook enable ${escapeText(webhook.name)}${session.factoryOption()}${next}'.`,
    );
    return;
  }
  output.line(output.colors.bold('To send to it:'));
  output.line();
  // A generated secret is letters, digits, "-", "_", "+", "/" and "=": safe between single quotes.
  if (webhook.secret !== undefined && webhook.auth_mode === 'token') {
    output.line(`${webhook.secret_name}='${webhook.secret}'`);
  }
  for (const text of describeSending(webhook, session.named ?? null)) output.line(escapeLines(text));
}

function registerSwitches(webhook: CliCommand, bind: Bind): void {
  webhook
    .command('enable')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('enable a webhook, with the most recent value of its secret')
    .option('--with-secret', "store the provider's secret first, from standard input (hidden when typed)")
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [
        ['dockbell webhook enable internal-ci', 'accept deliveries again'],
        [
          'dockbell webhook enable payments --with-secret < secret.txt',
          'complete the setup with the secret of the provider',
        ],
      ],
    })
    .action(bind(enableWebhook));
  webhook
    .command('disable')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('disable a webhook: senders get 404 immediately; history and automations stay')
    .withDryRun()
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [['dockbell webhook disable internal-ci', 'reject deliveries until the webhook is enabled']],
    })
    .action(bind(disableWebhook));
}

async function disableWebhook(session: CommandSession, options: DryRunOptions, nameOrUid: string): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const change: Change = {
    action: `Disable the webhook ${name}`,
    effects: ['Its senders get 404.'],
    check: () => requireEditable(session, factory),
  };
  if (await showDryRun(session, options, change)) return EXIT_CODES.done;
  return changeWebhook(session, options, uid, { enabled: false }, 'is disabled: senders get 404');
}

async function enableWebhook(
  session: CommandSession,
  options: { withSecret?: boolean; json?: boolean },
  nameOrUid: string,
): Promise<number> {
  const done = 'accepts deliveries';
  if (!options.withSecret) return changeWebhook(session, options, nameOrUid, { enabled: true }, done);
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const secret = await readSecretValue(session.context, `Secret of ${escapeText(name)}`);
  const api = await session.api();
  const webhook = await readAnswer(
    api.POST('/api/v1/factories/{factory}/webhooks/{uid}/secret', {
      params: { path: { factory, uid } },
      body: { secret },
    }),
  );
  return report(session, options, webhook, done);
}

async function renameWebhook(
  session: CommandSession,
  options: { json?: boolean },
  nameOrUid: string,
  newName: string,
): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const api = await session.api();
  const path = { factory, uid };
  const request = { params: { path }, body: { name: newName } };
  const renamed = await readAnswer(api.PATCH('/api/v1/factories/{factory}/webhooks/{uid}', request));
  if (options.json) session.output.json(renamed);
  else session.output.line(`Renamed ${escapeText(name)} to ${escapeText(renamed.name)}. The URL is unchanged.`);
  return EXIT_CODES.done;
}

async function changeWebhook(
  session: CommandSession,
  options: { json?: boolean },
  nameOrUid: string,
  change: { enabled?: boolean; name?: string },
  done: string,
): Promise<number> {
  const { factory, uid } = await findWebhook(session, nameOrUid);
  const api = await session.api();
  return report(
    session,
    options,
    await readAnswer(
      api.PATCH('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } }, body: change }),
    ),
    done,
  );
}

function report({ output }: CommandSession, options: { json?: boolean }, webhook: Webhook, done: string): number {
  if (options.json) output.json(webhook);
  else output.line(`${escapeText(webhook.name)} ${done}.`);
  return EXIT_CODES.done;
}

function registerRotate(webhook: CliCommand, bind: Bind): void {
  webhook
    .command('rotate')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('replace the secret of a webhook of a live factory, and print it; it is shown only once')
    .option('--with-secret', 'the new secret that the provider issued, from standard input (hidden when typed)')
    .withYes()
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: "The old secret stops working immediately. To rotate without rejected deliveries, create a second webhook, reconfigure the sender, then delete the first one. In other factories, run 'dockbell secret update'.",
      examples: [
        ['dockbell webhook rotate internal-ci', 'a generated secret'],
        ['dockbell webhook rotate pulls --with-secret < secret.txt', 'a secret that the provider issued'],
      ],
    })
    .action(bind(rotateWebhook));
}

async function rotateWebhook(
  session: CommandSession,
  options: DeleteOptions & { withSecret?: boolean },
  nameOrUid: string,
): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const isConfirmed = await confirm(session, options, {
    action: `Rotate the secret of ${name}`,
    effects: ['The current one stops working immediately.'],
    check: () => requireEditable(session, factory, ['live']),
  });
  if (!isConfirmed) return EXIT_CODES.done;
  const secret = options.withSecret
    ? await readSecretValue(session.context, `New secret of ${escapeText(name)}`)
    : undefined;
  const api = await session.api();
  const params = { path: { factory, uid } };
  const rotated = await session
    .create((headers) =>
      api.POST('/api/v1/factories/{factory}/webhooks/{uid}/rotate', { params, body: { secret }, headers }),
    )
    .catch((error: unknown) => explainSecret(session, error, options));
  if (options.json) session.output.json(rotated);
  else printOnce(session, rotated, `Rotated the secret of ${escapeText(name)}: the old one is rejected.`);
  return EXIT_CODES.done;
}

async function deleteWebhook(session: CommandSession, options: DeleteOptions, nameOrUid: string): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  const isConfirmed = await confirm(session, options, {
    action: `Delete the webhook ${name}`,
    effects: ['Its senders get 404.'],
    check: () => requireEditable(session, factory),
  });
  if (!isConfirmed) return EXIT_CODES.done;
  const api = await session.api();
  await readAnswer(api.DELETE('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }));
  if (options.json) session.output.json({ uid });
  else session.output.line(`Deleted the webhook ${escapeText(name)}: senders get 404.`);
  return EXIT_CODES.done;
}
