import { Option } from 'commander';
import type { Role, User } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { ROLES } from '../../domain/access/access.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findUser, USER_ARGUMENT } from '../find/find-user.ts';
import { type ConfirmOptions, confirm, type DryRunOptions, showDryRun } from '../input/confirm.ts';
import { readSecretValue } from '../input/read-secret-value.ts';
import { formatAge } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface CreateOptions {
  role: Role;
  json?: boolean;
}

/** `dockbell user …`: people who sign in to the dashboard. */
export function declareUser(user: CliCommand, bind: Bind): void {
  registerCreate(user, bind);
  user
    .command('list')
    .description('list users with role and last sign-in')
    .withResult(RESULT_KINDS.user)
    .explain({ examples: [['dockbell user list', 'all users']] })
    .action(bind(listUsers));
  registerChanges(user, bind);
  user
    .command('sign-out')
    .argument('<name>', USER_ARGUMENT)
    .description('end all sessions of a user; the user can sign in again')
    .withDryRun()
    .explain({ examples: [['dockbell user sign-out bob', 'after Bob lost a laptop']] })
    .action(bind(signUserOut));
  user
    .command('delete')
    .argument('<name>', USER_ARGUMENT)
    .description('delete a user; all sessions of the user end')
    .withYes()
    .explain({
      negative: 'it is the last owner',
      examples: [['dockbell user delete alice', 'takes effect immediately']],
    })
    .action(bind(deleteUser));
}

function registerCreate(user: CliCommand, bind: Bind): void {
  user
    .command('create')
    .argument('<name>', 'name to sign in with')
    .description(
      'create a user. The password is read from standard input, hidden when typed. With --factory, the user is limited to that factory',
    )
    .addOption(
      new Option('--role <role>', 'permissions; each role includes those before it').choices(ROLES).default('viewer'),
    )
    .withJson()
    .explain({
      negative: 'the name already exists',
      more: 'A password has 12 to 256 characters. Users change their own in the dashboard.',
      examples: [
        ['dockbell user create alice --role owner', 'asks for the password'],
        ['dockbell user create bob --role operator --factory payments < password.txt', 'with access to one factory'],
      ],
    })
    .action(bind(createUser));
}

function registerChanges(user: CliCommand, bind: Bind): void {
  user
    .command('set-role')
    .argument('<name>', USER_ARGUMENT)
    .argument('<role>', ROLES.join(', '))
    .description('change the role of a user; takes effect immediately')
    .explain({
      negative: 'it is the last owner',
      examples: [['dockbell user set-role bob manager', 'make Bob a manager']],
    })
    .action(
      bind((session: CommandSession, _options: object, name: string, role: Role) =>
        changeUser(session, name, { role }, `has the role ${role}`),
      ),
    );
  user
    .command('set-password')
    .argument('<name>', USER_ARGUMENT)
    .description('set a new password, read from standard input; all sessions of the user end')
    .explain({ examples: [['dockbell user set-password bob', 'for a user who lost the password']] })
    .action(bind(setPassword));
  registerSwitch(user, bind, 'disable', true, 'disable a user; all sessions of the user end');
  registerSwitch(user, bind, 'enable', false, 'let a disabled user sign in again');
}

function registerSwitch(user: CliCommand, bind: Bind, verb: string, disabled: boolean, description: string): void {
  const command = user.command(verb).argument('<name>', USER_ARGUMENT).description(description);
  if (disabled) command.withDryRun();
  command
    .explain({
      ...(disabled ? { negative: 'it is the last owner' } : {}),
      examples: [[`dockbell user ${verb} bob`, disabled ? 'takes effect immediately' : 'the password is unchanged']],
    })
    .action(
      bind((session: CommandSession, options: DryRunOptions, name: string) =>
        switchUser(session, options, name, disabled),
      ),
    );
}

async function switchUser(
  session: CommandSession,
  options: DryRunOptions,
  name: string,
  disabled: boolean,
): Promise<number> {
  if (options.dryRun) {
    const user = await findUser(await session.api(), name);
    const action = `Disable the user ${user.name} (${user.id})`;
    await showDryRun(session, options, { action, effects: ['All their sessions end.'] });
    return EXIT_CODES.done;
  }
  return changeUser(session, name, { disabled }, disabled ? 'is disabled' : 'is enabled');
}

async function createUser(session: CommandSession, options: CreateOptions, name: string): Promise<number> {
  const api = await session.api();
  const password = await readSecretValue(session.context, `Password of ${escapeText(name)}`);
  const limited = session.globals.factory === undefined ? {} : { factories: [session.globals.factory] };
  const user = await session.create((headers) =>
    api.POST('/api/v1/users', { body: { name, role: options.role, password, ...limited }, headers }),
  );
  if (options.json) session.output.json(user);
  else session.output.line(`Created user ${escapeText(user.name)} (${user.id}) with role ${user.role}.`);
  return EXIT_CODES.done;
}

async function listUsers(session: CommandSession, options: ResultOptions): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/users', { params: { query: page } })), null);
  await printList(session, options, {
    kind: RESULT_KINDS.user,
    page,
    columns: createColumns(session.nowMs),
    empty: "No users. Create one with 'dockbell user create NAME'.",
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<User>[] {
  return [
    { head: 'NAME', text: (user) => user.name, minWidth: 16 },
    { head: 'ID', text: (user) => user.id, narrow: 'whole' },
    { head: 'ROLE', text: (user) => user.role, narrow: 'whole' },
    { head: 'FACTORIES', text: (user) => user.factories?.join(', ') ?? 'all', drop: 2 },
    {
      head: 'SIGNS IN',
      text: (user) => (user.disabled ? 'disabled' : user.kind === 'oidc' ? 'OpenID' : 'password'),
      narrow: 'whole',
      drop: 1,
    },
    { head: 'LAST SIGN-IN', text: (user) => formatAge(user.last_sign_in_at, nowMs), narrow: 'whole', drop: 3 },
  ];
}

/** Finds a user by ID, or by name. Names are unique among users with a password. */
async function changeUser(
  session: CommandSession,
  name: string,
  change: { role?: Role; password?: string; disabled?: boolean },
  done: string,
): Promise<number> {
  const api = await session.api();
  const user = await findUser(api, name);
  await readAnswer(api.PATCH('/api/v1/users/{id}', { params: { path: { id: user.id } }, body: change }));
  session.output.line(`User ${escapeText(user.name)} ${escapeText(done)}.`);
  return EXIT_CODES.done;
}

async function setPassword(session: CommandSession, _options: object, name: string): Promise<number> {
  const api = await session.api();
  const user = await findUser(api, name);
  const password = await readSecretValue(session.context, `New password of ${escapeText(user.name)}`);
  return changeUser(session, user.id, { password }, 'has a new password');
}

async function deleteUser(session: CommandSession, options: ConfirmOptions, name: string): Promise<number> {
  const api = await session.api();
  const user = await findUser(api, name);
  const isConfirmed = await confirm(session, options, {
    action: `Delete the user ${user.name} (${user.id})`,
    effects: ['All their sessions end.'],
  });
  if (!isConfirmed) return EXIT_CODES.done;
  await readAnswer(api.DELETE('/api/v1/users/{id}', { params: { path: { id: user.id } } }));
  session.output.line(`Deleted user ${escapeText(user.name)}.`);
  return EXIT_CODES.done;
}

async function signUserOut(session: CommandSession, options: DryRunOptions, name: string): Promise<number> {
  const api = await session.api();
  const user = await findUser(api, name);
  const action = `End all sessions of the user ${user.name} (${user.id})`;
  if (await showDryRun(session, options, { action, effects: ['The user can sign in again.'] })) return EXIT_CODES.done;
  await readAnswer(api.DELETE('/api/v1/users/{id}/sessions', { params: { path: { id: user.id } } }));
  session.output.line(`User ${escapeText(user.name)} is signed out everywhere.`);
  return EXIT_CODES.done;
}
