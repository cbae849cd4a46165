import { InvalidArgumentError, Option } from 'commander';
import type { Secret } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { SECRET_USES, type SecretUse } from '../../domain/secrets/secret-scope.ts';
import { describeScope, isUnusable } from '../../domain/words/credentials.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { readSecretValue, requireNotEmpty, requireSecretName } from '../input/read-secret-value.ts';
import { rejectChange } from '../input/require-editable.ts';
import { formatAge } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

type Mode = 'create' | 'update';

interface PutOptions {
  value?: string;
  allFactories?: boolean;
  use?: SecretUse[];
  add?: boolean;
  force?: boolean;
  json?: boolean;
}

/** `dockbell secret …`: team secrets. Their values can be written, never read. */
export function declareSecret(secret: CliCommand, bind: Bind): void {
  registerPut(secret, bind, 'create', 'store a new secret; fails if the name exists');
  registerPut(secret, bind, 'update', 'store a new value of a secret; fails if the name does not exist');
  secret
    .command('list')
    .description('list secrets with version, scope, and use by webhooks, automations and notify targets; never a value')
    .withResult(RESULT_KINDS.secret)
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
  const command = secret
    .command(mode)
    .argument('<name>', 'name of the secret: letters, digits and _; the first character is not a digit')
    .description(
      mode === 'create'
        ? `${description}. Without --value the value is read from standard input, hidden when typed`
        : `${description}, or a new scope. Without --value and scope options, the value is read from standard input, hidden when typed`,
    )
    .option('--team', 'store a team secret; this is the default and the only kind of secret')
    .option('--value <value>', 'the value; other users of the host can see it in the list of processes')
    .option('--factory <name>', 'factory that may use the secret; repeatable')
    .option('--all-factories', 'allow all factories to use the secret, also later ones')
    .addOption(
      new Option('--use <use>', 'what they may use it for; repeatable (default: both)')
        .choices(SECRET_USES)
        .argParser(collectUse),
    );
  if (mode === 'update') {
    command
      .option('--add', 'add the factories and uses to the scope instead of replacing it')
      .option('--force', 'exclude a factory that uses the secret: its runs and its next apply fail');
  }
  command
    .withJson('name, version and scope as JSON')
    .explain({
      negative: mode === 'create' ? 'the name already exists' : 'the update conflicts with another one',
      more: mode === 'create' ? CREATE_NOTES : UPDATE_NOTES,
      examples: mode === 'create' ? CREATE_EXAMPLES : UPDATE_EXAMPLES,
    })
    .action(
      bind((session: CommandSession, options: PutOptions, name: string) => putSecret(session, options, name, mode)),
    );
}

const VALUE_NOTES =
  'One newline at the end of standard input is not part of the value. Webhooks switch to the new value with the next\n' +
  'applied commit (an empty one is enough). In managed and live factories: with the next change of the webhook.';
const CREATE_NOTES = `${VALUE_NOTES}\nWithout --factory and --all-factories, only the one factory of the daemon may use the secret. If it has several\nfactories, none may use it until you allow one.`;
const UPDATE_NOTES = `${VALUE_NOTES}\nScope options without --value leave the value as it is and read no standard input.`;

const CREATE_EXAMPLES = [
  ['dockbell secret create CI_WEBHOOK_SECRET < secret.txt', 'the value from a file'],
  ['openssl rand -base64 32 | dockbell secret create CI_WEBHOOK_SECRET', 'a random value'],
  ['dockbell secret create DEPLOY_KEY --factory payments --use run < key.txt', 'only for runs of one factory'],
  ['dockbell secret create --team --value VALUE CI_WEBHOOK_SECRET', 'the value on the command line'],
] as const;

const UPDATE_EXAMPLES = [
  ['dockbell secret update CI_WEBHOOK_SECRET < secret.txt', 'the value from a file'],
  ['dockbell secret update CI_WEBHOOK_SECRET --factory payments --add', 'one more factory, without a new value'],
  ['dockbell secret update --team --value VALUE CI_WEBHOOK_SECRET', 'the value on the command line'],
] as const;

function collectUse(use: string, uses: SecretUse[] = []): SecretUse[] {
  const known = SECRET_USES.find((each) => each === use);
  if (known === undefined) throw new InvalidArgumentError(`Allowed choices are ${SECRET_USES.join(', ')}.`);
  return [...new Set([...uses, known])];
}

/** The scope that the options name; empty if there are none. A factory of the environment is not meant. */
function readScope({ named, globals }: CommandSession, { allFactories, use, add }: PutOptions) {
  const factories = named === undefined ? undefined : (globals.factories ?? [named]);
  if (allFactories && factories !== undefined) {
    throw new CliError('--factory and --all-factories exclude each other.', { hint: 'Use one of them.' });
  }
  return {
    ...(allFactories ? { factories: null } : factories === undefined ? {} : { factories: [...new Set(factories)] }),
    ...(use === undefined ? {} : { uses: use }),
    ...(add ? { add } : {}),
  };
}

async function putSecret(session: CommandSession, options: PutOptions, name: string, mode: Mode): Promise<number> {
  requireSecretName(name);
  const scope = readScope(session, options);
  const changesOnlyScope = mode === 'update' && options.value === undefined && Object.keys(scope).length > 0;
  const api = await session.api();
  const value = changesOnlyScope ? {} : { value: await readValue(session, options, name) };
  const stored = await readAnswer(
    api.PUT('/api/v1/secrets/{name}', {
      params: { path: { name }, query: { mode, ...(options.force ? { force: true } : {}) } },
      body: { ...value, ...scope },
    }),
  );
  const { version } = stored;
  if (options.json) session.output.json({ name, version, scope: stored.scope });
  else if (changesOnlyScope) session.output.line(`Changed the scope of ${name}: ${describeScope(stored.scope)}.`);
  else {
    const verb = mode === 'create' ? 'Created' : 'Updated';
    session.output.line(`${verb} secret ${name} (version ${version}).`);
  }
  if (stored.warning !== null) session.output.note(stored.warning);
  if (mode === 'update' && !changesOnlyScope) await noteOlderVersions(session, name, version);
  return EXIT_CODES.done;
}

async function readValue({ context }: CommandSession, { value }: PutOptions, name: string): Promise<string> {
  return value === undefined ? readSecretValue(context, `Value of ${name}`) : requireNotEmpty(value);
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

async function listSecrets(session: CommandSession, options: ResultOptions): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/secrets', { params: { query: page } })), null);
  await printList(session, options, {
    kind: RESULT_KINDS.secret,
    page,
    columns: createColumns(session.nowMs),
    empty: "There are no secrets yet. Add one with 'dockbell secret create NAME'.",
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<Secret>[] {
  return [
    { head: 'NAME', text: (secret) => secret.name, narrow: 'whole' },
    { head: 'VERSION', text: (secret) => String(secret.version), narrow: 'whole' },
    {
      head: 'SCOPE',
      text: (secret) => describeScope(secret.scope),
      color: (secret, colors) => (isUnusable(secret.scope) ? colors.yellow : colors.reset),
      narrow: 'below',
      lead: 'scope: ',
    },
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
  const api = await session.api();
  const isConfirmed = await confirm(session, options, {
    action: `Delete the secret ${name}`,
    effects: ['Its value cannot be read back.'],
    check: () => requireDeletable(session, name, options.force === true),
  });
  if (!isConfirmed) return EXIT_CODES.done;
  await readAnswer(
    api.DELETE('/api/v1/secrets/{name}', {
      params: { path: { name }, query: { force: options.force } },
    }),
  );
  if (options.json) session.output.json({ name });
  else session.output.line(`Deleted secret ${name}.`);
  return EXIT_CODES.done;
}

async function requireDeletable(session: CommandSession, name: string, force: boolean): Promise<void> {
  const api = await session.api();
  const { data } = await listRows((page) => readAnswer(api.GET('/api/v1/secrets', { params: { query: page } })), null);
  const secret = data.find((one) => one.name === name);
  if (secret === undefined) {
    throw new CliError(`There is no secret '${name}'.`, { code: 'not_found', hint: "See 'dockbell secret list'." });
  }
  const users = describeUsers(secret);
  if (users !== '' && !force)
    throw rejectChange(`The secret ${name} is used by ${users}.`, 'With --force it is deleted.');
}
