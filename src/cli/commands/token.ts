import { InvalidArgumentError, Option } from 'commander';
import type { ApiToken, TokenRole } from '../../client/api-types.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { TOKEN_ROLES } from '../../domain/access/access.ts';
import { expiresSoon, hasExpired } from '../../domain/words/credentials.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { parseDuration } from '../../domain/words/quantities.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdForms, pickById } from '../find/find-id.ts';
import { findStoppedDaemon, STOPPED_CONFIG } from '../find-stopped-daemon.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { formatAge, formatSpan } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface CreateOptions {
  role: TokenRole;
  expires: string;
  json?: boolean;
}

/** `dockbell token …`: API tokens with a role. */
export function declareToken(token: CliCommand, bind: Bind): void {
  token
    .command('create')
    .argument('<name>', 'name that says what the token is for')
    .description(
      'create a token and print it; it is shown only once. With --factory (repeatable), the token is limited to these factories',
    )
    .addOption(
      new Option('--role <role>', 'permissions; each role includes those before it, except worker')
        .choices(TOKEN_ROLES)
        .default('viewer'),
    )
    .addOption(
      new Option('--expires <duration>', `how long the token works, or ${NEVER}`).argParser(readExpiry).default('90d'),
    )
    .withJson()
    .explain({
      more: 'viewer: read. operator: also replay deliveries and cancel runs. manager: also manage factories.\nowner: also manage secrets, users and tokens.\nworker: only claim, read and end runs. Commands and the log of the daemon warn 14 days before a token expires.',
      examples: [
        ['dockbell token create grafana', 'a read-only token'],
        ['dockbell token create deploy --role operator --factory payments', 'a token for the pipeline of one factory'],
        ['dockbell token create builder --role worker --expires 365d', 'a token for a worker, for a year'],
      ],
    })
    .action(bind(createToken));
  token
    .command('list')
    .description('list tokens with role, expiry and last use; never the token itself')
    .withResult(RESULT_KINDS.token)
    .explain({ examples: [['dockbell token list', 'all tokens with role, expiry and last use']] })
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
    .option('--config <file>', STOPPED_CONFIG)
    .explain({
      more: 'For an installation without a working owner token. No token is needed: run the command as the user of the daemon. The\nearlier token in that file is revoked, and the audit log records the reset.',
      examples: [
        ['dockbell token reset --data-dir /var/lib/dockbell', 'then start the daemon again'],
        ['dockbell token reset --config /etc/dockbell/dockbell.yaml', 'for a daemon that stores in PostgreSQL'],
      ],
    })
    .action(bind(resetToken));
}

async function resetToken(session: CommandSession, { config }: { config?: string }): Promise<number> {
  const { output } = session;
  const daemon = await findStoppedDaemon(session, config);
  // Imported here, so that the other commands start without the libraries of the daemon.
  const { resetAdminToken } = await import('../../operations/maintenance/reset-admin-token.ts');
  const file = await resetAdminToken(daemon);
  output.line(`A new owner token is in ${file}. The earlier admin-token no longer works.`);
  output.note("Start the daemon, then run 'dockbell login-link' to sign in.");
  return EXIT_CODES.done;
}

/** Commander replaces `null` by an empty text, so that the value that never expires stays a word. */
const NEVER = 'never';

function readExpiry(text: string): string {
  if (text === NEVER || parseDuration(text) !== null) return text;
  throw new InvalidArgumentError('Use a whole number and a unit, such as 90d or 12h, or never.');
}

async function createToken(session: CommandSession, options: CreateOptions, name: string): Promise<number> {
  const api = await session.api();
  const { factory, factories } = session.globals;
  const limited = factory === undefined ? {} : { factories: [...new Set(factories ?? [factory])] };
  const expiresIn = options.expires === NEVER ? null : options.expires;
  const body = { name, role: options.role, expires_in: expiresIn, ...limited };
  const created = await session.create((headers) => api.POST('/api/v1/tokens', { body, headers }));
  if (options.json) session.output.json(created);
  else {
    session.output.line(escapeText(created.token));
    const limit = created.factories === null ? '' : `, limited to ${escapeText(created.factories.join(', '))}`;
    const end = created.expires_at === null ? 'never expires' : `expires ${created.expires_at}`;
    session.output.note(
      `Token ${created.id} with role ${created.role}${limit}, ${end}. Store it now: it is not shown again.`,
    );
  }
  return EXIT_CODES.done;
}

async function listTokens(session: CommandSession, options: ResultOptions): Promise<number> {
  const api = await session.api();
  const page = await listRows((page) => readAnswer(api.GET('/api/v1/tokens', { params: { query: page } })), null);
  await printList(session, options, {
    kind: RESULT_KINDS.token,
    page,
    columns: createColumns(session.nowMs),
    empty: "No tokens. Create one with 'dockbell token create NAME'.",
  });
  return EXIT_CODES.done;
}

function createColumns(nowMs: number): Column<ApiToken>[] {
  return [
    { head: 'ID', text: (token) => token.id, narrow: 'whole' },
    { head: 'NAME', text: (token) => token.name, minWidth: 16 },
    { head: 'ROLE', text: (token) => token.role, narrow: 'whole' },
    { head: 'FACTORIES', text: (token) => token.factories?.join(', ') ?? 'all', drop: 2 },
    { head: 'CREATED', text: (token) => formatAge(token.created_at, nowMs), narrow: 'whole', drop: 3 },
    {
      head: 'EXPIRES',
      text: (token) => describeExpiry(token, nowMs),
      color: (token, colors) => (expiresSoon(toExpiry(token), nowMs) ? colors.yellow : colors.reset),
      narrow: 'whole',
    },
    { head: 'LAST USED', text: (token) => formatAge(token.last_used_at, nowMs), narrow: 'whole', drop: 1 },
  ];
}

function toExpiry({ expires_at: at }: ApiToken): { expiresAt: number | null } {
  return { expiresAt: at === null ? null : Date.parse(at) };
}

function describeExpiry(token: ApiToken, nowMs: number): string {
  const { expiresAt } = toExpiry(token);
  if (expiresAt === null) return 'never';
  return hasExpired({ expiresAt }, nowMs) ? 'expired' : `in ${formatSpan(expiresAt - nowMs)}`;
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
  const isConfirmed = await confirm(session, options, {
    action: `Revoke the token ${token.name} (${token.id})`,
    effects: ['Its next request is rejected.'],
  });
  if (!isConfirmed) return EXIT_CODES.done;
  await readAnswer(api.DELETE('/api/v1/tokens/{id}', { params: { path: { id: token.id } } }));
  session.output.line(`Revoked token ${escapeText(token.id)}.`);
  return EXIT_CODES.done;
}
