import { Option } from 'commander';
import type { ApiToken, Role } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { ROLES } from '../../core/access.ts';
import { escapeText } from '../../words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { findDataDir } from '../connection.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdForms, pickById } from '../find/find-id.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { formatAge } from '../output/format-time.ts';
import type { Column } from '../output/table.ts';

interface CreateOptions {
  role: Role;
  json?: boolean;
}

/** `dockbell token …`: API tokens with a role. */
export function declareToken(token: CliCommand, bind: Bind): void {
  token
    .command('create')
    .argument('<name>', 'name that says what the token is for')
    .description(
      'create a token and print it; it is shown only once. With --factory, the token is limited to that factory',
    )
    .addOption(
      new Option('--role <role>', 'permissions; each role includes those before it').choices(ROLES).default('viewer'),
    )
    .withJson()
    .explain({
      more: 'viewer: read. operator: also replay deliveries and cancel runs. manager: also manage factories.\nowner: also manage secrets, users and tokens.',
      examples: [
        ['dockbell token create grafana', 'a read-only token'],
        ['dockbell token create deploy --role operator --factory payments', 'a token for the pipeline of one factory'],
      ],
    })
    .action(bind(createToken));
  token
    .command('list')
    .description('list tokens with role and last use; never the token itself')
    .withJson()
    .explain({ examples: [['dockbell token list', 'all tokens with role and last use']] })
    .action(bind(listTokens));
  token
    .command('revoke')
    .argument('<id>', `the token: ${describeIdForms('tok')}`)
    .description('revoke a token immediately')
    .withYes()
    .explain({ examples: [['dockbell token revoke tok_01jd3v8k6n', 'requests with this token are rejected']] })
    .action(bind(revokeToken));
  token
    .command('reset')
    .description('write a new owner token to admin-token in the data directory, while the daemon is stopped')
    .explain({
      more: 'For an installation without a working owner token. No token is needed: run the command as the user of the daemon. The\nearlier token in that file is revoked, and the audit log records the reset.',
      examples: [['dockbell token reset --data-dir /var/lib/dockbell', 'then start the daemon again']],
    })
    .action(bind(resetToken));
}

async function resetToken({ context, globals, output }: CommandSession): Promise<number> {
  const dataDir = await findDataDir(globals, context);
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { resetAdminToken } = await import('../../maintenance/reset-admin-token.ts');
  const file = await resetAdminToken(dataDir);
  output.line(`A new owner token is in ${file}. The earlier admin-token no longer works.`);
  output.note("Start the daemon, then run 'dockbell login-link' to sign in.");
  return EXIT_CODES.done;
}

async function createToken(session: CommandSession, options: CreateOptions, name: string): Promise<number> {
  const api = await session.api();
  const limited = session.globals.factory === undefined ? {} : { factories: [session.globals.factory] };
  const created = await session.create((headers) =>
    api.POST('/api/v1/tokens', { body: { name, role: options.role, ...limited }, headers }),
  );
  if (options.json) session.output.json(created);
  else {
    session.output.line(escapeText(created.token));
    const limit = created.factories === null ? '' : `, limited to ${escapeText(created.factories.join(', '))}`;
    session.output.note(`Token ${created.id} with role ${created.role}${limit}. Store it now: it is not shown again.`);
  }
  return EXIT_CODES.done;
}

async function listTokens(session: CommandSession, options: { json?: boolean }): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/tokens', { params: { query: page } })), null);
  if (options.json) session.output.json(page);
  else if (page.data.length === 0) session.output.line("No tokens. Create one with 'dockbell token create NAME'.");
  else session.output.table(createColumns(session.nowMs), page.data);
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<ApiToken>[] {
  return [
    { head: 'ID', text: (token) => token.id, narrow: 'whole' },
    { head: 'NAME', text: (token) => token.name, minWidth: 16 },
    { head: 'ROLE', text: (token) => token.role, narrow: 'whole' },
    { head: 'FACTORIES', text: (token) => token.factories?.join(', ') ?? 'all', drop: 2 },
    { head: 'CREATED', text: (token) => formatAge(token.created_at, nowMs), narrow: 'whole', drop: 3 },
    { head: 'LAST USED', text: (token) => formatAge(token.last_used_at, nowMs), narrow: 'whole', drop: 1 },
  ];
}

async function revokeToken(session: CommandSession, options: ConfirmOptions, ref: string): Promise<number> {
  const api = await session.api();
  const { data } = await listRows((page) => readAnswer(api.GET('/api/v1/tokens', { params: { query: page } })), null);
  const token = pickById({ what: 'token', type: 'tok' }, ref, data);
  if (token === null) {
    throw new CliError(`There is no token '${escapeText(ref)}'.`, {
      code: 'not_found',
      hint: `Give ${describeIdForms('tok')}. See 'dockbell token list'.`,
    });
  }
  await confirm(session, options, `Revoke the token ${token.name} (${token.id})? Its next request is rejected.`);
  await readAnswer(api.DELETE('/api/v1/tokens/{id}', { params: { path: { id: token.id } } }));
  session.output.line(`Revoked token ${escapeText(token.id)}.`);
  return EXIT_CODES.done;
}
