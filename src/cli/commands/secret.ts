import type { Secret } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { readSecretValue, requireNotEmpty, requireSecretName } from '../input/read-secret-value.ts';
import { formatAge } from '../output/format-time.ts';
import type { Column } from '../output/table.ts';

type Mode = 'create' | 'update';

interface PutOptions {
  value?: string;
  json?: boolean;
}

/** `dockbell secret …`: team secrets. Their values can be written, never read. */
export function declareSecret(secret: CliCommand, bind: Bind): void {
  registerPut(secret, bind, 'create', 'store a new secret; fails if the name exists');
  registerPut(secret, bind, 'update', 'store a new value of a secret; fails if the name does not exist');
  secret
    .command('list')
    .description('list secrets with version and use by webhooks, automations and notify targets; never a value')
    .withJson()
    .explain({
      examples: [['dockbell secret list', 'all secrets, and which webhooks still use an older version']],
    })
    .action(bind(listSecrets));
  secret
    .command('delete')
    .argument('<name>', 'name of the secret')
    .description(
      'delete a secret; fails while a webhook, an automation or a notify target uses it, except with --force',
    )
    .withYes()
    .withJson('the name as JSON')
    .option(
      '--force',
      'delete a secret in use: webhooks keep the value until the next apply, which then fails; runs and notifications fail immediately',
    )
    .explain({
      negative: 'the secret is in use',
      examples: [['dockbell secret delete OLD_TOKEN', 'delete an unused secret']],
    })
    .action(bind(deleteSecret));
}

function registerPut(secret: CliCommand, bind: Bind, mode: Mode, description: string): void {
  secret
    .command(mode)
    .argument('<name>', 'name of the secret: letters, digits and _; the first character is not a digit')
    .description(`${description}. Without --value the value is read from standard input, hidden when typed`)
    .option('--team', 'scope of the secret; team is the default and the only scope')
    .option('--value <value>', 'the value; other users of the host can see it in the list of processes')
    .withJson('name and version as JSON')
    .explain({
      negative: mode === 'create' ? 'the name already exists' : 'the update conflicts with another one',
      more:
        'One newline at the end of standard input is not part of the value. Webhooks switch to the new value with the next\n' +
        'applied commit (an empty one is enough). In managed and live factories: with the next change of the webhook.',
      examples: [
        [`dockbell secret ${mode} CI_WEBHOOK_SECRET < secret.txt`, 'the value from a file'],
        [`openssl rand -base64 32 | dockbell secret ${mode} CI_WEBHOOK_SECRET`, 'a random value'],
        [`dockbell secret ${mode} --team --value VALUE CI_WEBHOOK_SECRET`, 'the value on the command line'],
      ],
    })
    .action(
      bind((session: CommandSession, options: PutOptions, name: string) => putSecret(session, options, name, mode)),
    );
}

async function putSecret(session: CommandSession, options: PutOptions, name: string, mode: Mode): Promise<number> {
  requireSecretName(name);
  const api = await session.api();
  const value =
    options.value === undefined
      ? await readSecretValue(session.context, `Value of ${name}`)
      : requireNotEmpty(options.value);
  const { version } = await readAnswer(
    api.PUT('/api/v1/secrets/{name}', { params: { path: { name }, query: { mode } }, body: { value } }),
  );
  if (options.json) session.output.json({ name, version });
  else session.output.line(`${mode === 'create' ? 'Created' : 'Updated'} secret ${name} (version ${version}).`);
  if (mode === 'update') await noteOlderVersions(session, name, version);
  return EXIT_CODES.done;
}

/** Prints which webhooks still use the earlier value. People who rotate a secret may not expect that. */
async function noteOlderVersions(session: CommandSession, name: string, version: number): Promise<void> {
  const api = await session.api();
  const { data } = await listRows((page) => readAnswer(api.GET('/api/v1/secrets', { params: { query: page } })), null);
  const holders = data.find((secret) => secret.name === name)?.used_by.filter((use) => use.version < version) ?? [];
  if (holders.length === 0) return;
  session.output.note(
    `Still on an older version: ${describeUses(holders)}. They switch to the new one with the next applied commit (an empty one is enough). In managed and live factories: disable and enable the webhook.`,
  );
}

async function listSecrets(session: CommandSession, options: { json?: boolean }): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/secrets', { params: { query: page } })), null);
  if (options.json) session.output.json(page);
  else if (page.data.length === 0)
    session.output.line("There are no secrets yet. Add one with 'dockbell secret create NAME'.");
  else session.output.table(createColumns(session.nowMs), page.data);
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Secret>[] {
  return [
    { head: 'NAME', text: (secret) => secret.name, narrow: 'whole' },
    { head: 'VERSION', text: (secret) => String(secret.version), narrow: 'whole' },
    { head: 'UPDATED', text: (secret) => formatAge(secret.updated_at, nowMs), narrow: 'whole', drop: 1 },
    { head: 'USED BY', text: (secret) => describeUsers(secret) || '-', narrow: 'below', lead: 'used by ' },
    {
      head: 'ON AN OLDER VERSION',
      text: (secret) => describeUses(olderUses(secret)) || '-',
      color: (secret, colors) => (olderUses(secret).length > 0 ? colors.yellow : colors.dim),
      narrow: 'below',
      lead: 'on an older version: ',
    },
  ];
}

function olderUses(secret: Secret): Secret['used_by'] {
  return secret.used_by.filter((use) => use.version < secret.version);
}

function describeUsers({ used_by, listed_by, notify }: Secret): string {
  const automations = listed_by.map(({ factory, automation }) => `${factory}/${automation} (automation)`);
  const targets = notify.map(({ factory, type }) => `${factory}/${type} (notify)`);
  return [describeUses(used_by), ...automations, ...targets].filter((text) => text !== '').join(', ');
}

function describeUses(uses: Secret['used_by']): string {
  return uses.map((use) => `${use.factory}/${use.webhook}`).join(', ');
}

async function deleteSecret(
  session: CommandSession,
  options: ConfirmOptions & { force?: boolean; json?: boolean },
  name: string,
): Promise<number> {
  requireSecretName(name);
  await confirm(session, options, `Delete the secret ${name}? Its value cannot be read back.`);
  const api = await session.api();
  await readAnswer(
    api.DELETE('/api/v1/secrets/{name}', {
      params: { path: { name }, query: { force: options.force } },
    }),
  );
  if (options.json) session.output.json({ name });
  else session.output.line(`Deleted secret ${name}.`);
  return EXIT_CODES.done;
}
