import type { NewWebhook, Webhook } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { WEBHOOK_FIELDS } from '../../core/resources/webhook.ts';
import { escapeLines, escapeText } from '../../words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { fieldOptions, readFieldOptions } from '../input/field-options.ts';
import { readSecretValue } from '../input/read-secret-value.ts';
import { readSignature } from '../input/read-signature.ts';
import { schemeOption } from '../input/value-options.ts';
import { describeSending } from '../output/describe-sending.ts';
import type { Bind, Session } from '../session.ts';

const NEGATIVE = 'refused: what would not be valid, or what a repository decides (the answer names the file to edit)';
const HOSTED = 'For factories whose source is managed or live.';

/** `dockbell webhook create|enable|disable|rotate|rename|delete`: edits of a factory that the service hosts. */
export function registerWebhookEditCommands(webhook: CliCommand, bind: Bind): void {
  registerCreate(webhook, bind);
  registerSwitches(webhook, bind);
  registerRotate(webhook, bind);
  webhook
    .command('rename')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .argument('<new-name>', 'what it is called from then on')
    .description('give a webhook of a live factory another name; URL and senders stay')
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
      more: `${HOSTED} Automations that select it stay and say that it is gone. Its secret stays too: 'dockbell secret delete'.`,
      examples: [['dockbell webhook delete internal-ci', 'it comes back under its URL when it is created again']],
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
    .description('create a webhook, and print its URL and its secret this once');
  for (const option of fieldOptions(WEBHOOK_FIELDS, 'create', { signatureScheme: schemeOption })) {
    command.addOption(option);
  }
  command
    .option('--with-secret', "read the provider's secret from standard input (hidden when typed)")
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: `${HOSTED} A provider that issues its secret once it has the URL: create the webhook without, then 'dockbell webhook enable NAME --with-secret'.`,
      examples: [
        ['dockbell webhook create internal-ci', 'a bearer token, generated'],
        [
          'dockbell webhook create pulls --auth-mode signature --scheme github --with-secret < secret.txt',
          'the secret of the provider',
        ],
        [
          'dockbell webhook create orders --auth-mode signature --scheme custom --signature \'{"header": "X-Signature"}\' --with-secret < secret.txt',
          'a sender of your own',
        ],
        [
          'dockbell webhook create payments --auth-mode signature --scheme stripe',
          'disabled until its secret is given',
        ],
      ],
    })
    .action(bind(createWebhook));
}

async function createWebhook(session: Session, options: CreateOptions, name: string): Promise<number> {
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
  session: Session,
  error: unknown,
  { withSecret }: { withSecret?: boolean },
): Promise<never> {
  const explained = await session.explainFailure(error);
  const errors = error instanceof RequestFailed ? (error.problem.errors ?? []) : [];
  if (!(explained instanceof CliError) || !errors.some(({ pointer }) => pointer === '#/secret')) throw explained;
  const hint = withSecret
    ? "Omit --with-secret. To use your value, store it with 'dockbell secret create NAME' and add --secret-name NAME."
    : 'Add --with-secret: the value is read from standard input, and is hidden when typed.';
  const { message, code, exitCode } = explained;
  throw new CliError(message, { hint, code, exitCode, cause: error });
}

/** URL, the generated secret this once, and lines that send to it. */
function printOnce(session: Session, webhook: NewWebhook, done: string): void {
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
    output.line(output.colors.yellow('The secret is shown this once. Give it to the sender now, or rotate it later.'));
  }
  output.line();
  if (!webhook.enabled) {
    const next = webhook.credential_state === 'missing' ? ' --with-secret' : '';
    output.line(
      `It is disabled: give the URL to the sender, then 'dockbell webhook enable ${escapeText(webhook.name)}${session.factoryOption()}${next}'.`,
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
    .description('take deliveries again, with the newest value of its secret')
    .option('--with-secret', "store the provider's secret first, from standard input (hidden when typed)")
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [
        ['dockbell webhook enable internal-ci', 'deliveries resume'],
        ['dockbell webhook enable payments --with-secret < secret.txt', 'the second step of a setup'],
      ],
    })
    .action(bind(enableWebhook));
  webhook
    .command('disable')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('take no deliveries: senders get 404 at once, history and automations stay')
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [['dockbell webhook disable internal-ci', "until 'dockbell webhook enable internal-ci'"]],
    })
    .action(
      bind((session: Session, options: { json?: boolean }, name: string) => {
        return changeWebhook(session, options, name, { enabled: false }, 'is disabled: senders get 404');
      }),
    );
}

async function enableWebhook(
  session: Session,
  options: { withSecret?: boolean; json?: boolean },
  nameOrUid: string,
): Promise<number> {
  const done = 'takes deliveries';
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
  session: Session,
  options: { json?: boolean },
  nameOrUid: string,
  newName: string,
): Promise<number> {
  return changeWebhook(session, options, nameOrUid, { name: newName }, 'is its new name. The URL is unchanged');
}

async function changeWebhook(
  session: Session,
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

function report({ output }: Session, options: { json?: boolean }, webhook: Webhook, done: string): number {
  if (options.json) output.json(webhook);
  else output.line(`${escapeText(webhook.name)} ${done}.`);
  return EXIT_CODES.done;
}

function registerRotate(webhook: CliCommand, bind: Bind): void {
  webhook
    .command('rotate')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('give a webhook of a live factory a new secret, and print it this once')
    .option('--with-secret', 'the new secret that the provider issued, from standard input (hidden when typed)')
    .withYes()
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: "The old secret stops working at once. To change over without a gap, create a second webhook, move the sender, then delete the first. Elsewhere a rotation is 'dockbell secret update'.",
      examples: [
        ['dockbell webhook rotate internal-ci', 'a generated secret'],
        ['dockbell webhook rotate pulls --with-secret < secret.txt', 'the one that the provider issued'],
      ],
    })
    .action(bind(rotateWebhook));
}

async function rotateWebhook(
  session: Session,
  options: DeleteOptions & { withSecret?: boolean },
  nameOrUid: string,
): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  await confirm(session, options, `Rotate the secret of ${name}? The current one stops working immediately.`);
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
  else printOnce(session, rotated, `Rotated the secret of ${escapeText(name)}: the old one is rejected from now on.`);
  return EXIT_CODES.done;
}

async function deleteWebhook(session: Session, options: DeleteOptions, nameOrUid: string): Promise<number> {
  const { factory, uid, name } = await findWebhook(session, nameOrUid);
  await confirm(session, options, `Delete the webhook ${name}? Its senders get 404.`);
  const api = await session.api();
  await readAnswer(api.DELETE('/api/v1/factories/{factory}/webhooks/{uid}', { params: { path: { factory, uid } } }));
  if (options.json) session.output.json({ uid });
  else session.output.line(`Deleted the webhook ${escapeText(name)}: senders get 404.`);
  return EXIT_CODES.done;
}
