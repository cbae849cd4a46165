import { Option } from 'commander';
import type { AuditEntry } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { AUDIT_INCLUDES, AUDIT_OUTCOMES, type AuditInclude } from '../../domain/access/audit.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { pickById } from '../find/find-id.ts';
import { countOption } from '../input/value-options.ts';
import type { Colors } from '../output/colors.ts';
import { shortenRevision } from '../output/describe-reconciliation.ts';
import { formatAge } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

interface ListOptions extends ResultOptions {
  actor?: string;
  object?: string;
  outcome?: AuditEntry['outcome'];
  include: AuditInclude;
  from?: string;
  to?: string;
  limit: number;
}

/** `dockbell audit …`: the audit log. */
export function declareAudit(audit: CliCommand, bind: Bind): void {
  audit
    .command('list')
    .description('list entries, the most recent first')
    .option('--actor <name>', 'only entries of this user or API token: name, ID, or unique prefix of the ID')
    .option(
      '--object <path>',
      'only entries about this object and the objects below it, such as secrets/A_SECRET or users',
    )
    .addOption(new Option('--outcome <outcome>', 'only entries with this outcome').choices(AUDIT_OUTCOMES))
    .addOption(
      new Option('--include <entries>', 'changes with sign-ins, reads of payloads, logs and artifacts, or all of them')
        .choices(AUDIT_INCLUDES)
        .default('changes'),
    )
    .option('--from <time>', 'only entries at this time or later (RFC 3339)')
    .option('--to <time>', 'only entries before this time (RFC 3339)')
    .addOption(countOption('--limit <count>', 'maximum number of entries').default(20))
    .withResult(RESULT_KINDS.entry)
    .explain({
      examples: [
        ['dockbell audit list', 'the most recent changes and sign-ins'],
        ['dockbell audit list --object session --outcome refused', 'failed sign-ins'],
        ['dockbell audit list --actor alice --from 2026-01-01T00:00:00Z', 'what Alice did this year'],
        ['dockbell audit list --object factories/payments --json', 'the history of a factory as JSON'],
        [
          'dockbell audit list --include reads --object deliveries',
          'who read payloads, at most one entry per reader, object and day',
        ],
        ['dockbell audit list --actor daemon', 'which commits were applied, and what each changed'],
      ],
    })
    .action(bind(listEntries));
}

async function listEntries(session: CommandSession, options: ListOptions): Promise<number> {
  const api = await session.api();
  const { object, outcome, include, from, to, limit } = options;
  const actor = options.actor === undefined ? undefined : await findActor(api, options.actor);
  const page = await listRows(
    (page) =>
      readAnswer(
        api.GET('/api/v1/audit', { params: { query: { ...page, actor, object, outcome, include, from, to } } }),
      ),
    limit,
  );
  const columns = createColumns(session.nowMs);
  await printList(session, options, { kind: RESULT_KINDS.entry, page, columns, empty: 'No matching entries.' });
  return EXIT_CODES.done;
}

/** The ID of a user or an API token. Any other text is taken as an ID, because deleted ones have entries too. */
async function findActor(api: ApiClient, name: string): Promise<string> {
  const { data: users } = await listRows(
    (page) => readAnswer(api.GET('/api/v1/users', { params: { query: page } })),
    null,
  );
  const { data: tokens } = await listRows(
    (page) => readAnswer(api.GET('/api/v1/tokens', { params: { query: page } })),
    null,
  );
  const wanted = name.toLowerCase();
  const user = users.find((one) => one.name.toLowerCase() === wanted);
  const named = user ?? tokens.find((one) => one.name === name);
  const found =
    named ??
    pickById({ what: 'user', type: 'usr' }, name, users) ??
    pickById({ what: 'token', type: 'tok' }, name, tokens);
  return found?.id ?? name;
}

function createColumns(nowMs: number): Column<AuditEntry>[] {
  return [
    { head: 'WHEN', text: (entry) => formatAge(entry.at, nowMs), narrow: 'whole' },
    { head: 'WHO', text: (entry) => entry.actor?.name ?? '-', narrow: 'whole' },
    { head: 'ACTION', text: (entry) => entry.action, narrow: 'whole' },
    { head: 'OBJECT', text: (entry) => entry.object, narrow: 'below' },
    {
      head: 'OUTCOME',
      text: (entry) => entry.outcome,
      color: (entry, colors) => pickOutcomeColor(entry.outcome, colors),
      narrow: 'whole',
    },
    { head: 'FROM', text: (entry) => entry.client_address, narrow: 'whole', drop: 1 },
    { head: 'DETAIL', text: describeApply, narrow: 'below' },
  ];
}

/** The commit that was applied with its author, the changed definitions and secrets. Empty for requests. */
function describeApply({ method, changes }: AuditEntry): string {
  if (changes === null || (method !== 'APPLY' && method !== 'PIN')) return '';
  const { revision, subject, author, ...changed } = changes;
  const commit = typeof revision === 'string' ? shortenRevision(revision) : '';
  const made = typeof author === 'string' ? ` ${JSON.stringify(subject)} (${author})` : '';
  const parts = Object.entries(changed).map(([key, value]) => `${key}: ${[value].flat().join(', ')}`);
  return [`${commit}${made}`, ...parts].filter((part) => part !== '').join('; ');
}

function pickOutcomeColor(outcome: AuditEntry['outcome'], colors: Colors): (text: string) => string {
  return outcome === 'done' ? colors.green : colors.red;
}
