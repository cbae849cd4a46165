import type { BrowserSession } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { findUser, USER_ARGUMENT } from '../find/find-user.ts';
import { formatAge, formatSpan } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

/** `dockbell session list`: the browsers in which somebody is signed in. */
export function declareSession(group: CliCommand, bind: Bind): void {
  group
    .command('list')
    .argument('[user]', `${USER_ARGUMENT}; if omitted, the sessions of the token that the command uses`)
    .description('list the browsers in which a user is signed in to the dashboard, with address and last use')
    .withResult(RESULT_KINDS.session)
    .explain({
      more: "The sessions of a user require the role owner. 'dockbell user sign-out' ends all sessions of a user.",
      examples: [
        ['dockbell session list bob', 'where Bob is signed in'],
        ['dockbell session list', 'browsers that signed in with the token of this command'],
      ],
    })
    .action(bind(listSessions));
}

async function listSessions(
  session: CommandSession,
  options: ResultOptions,
  name: string | undefined,
): Promise<number> {
  await printList(session, options, {
    kind: RESULT_KINDS.session,
    page: await readSessions(session, name),
    columns: createColumns(session.nowMs),
    empty: 'No sessions.',
  });
  return EXIT_CODES.done;
}

async function readSessions(session: CommandSession, name: string | undefined) {
  const api = await session.api();
  if (name === undefined) return readAnswer(api.GET('/api/v1/sessions'));
  const { id } = await findUser(api, name);
  return readAnswer(api.GET('/api/v1/users/{id}/sessions', { params: { path: { id } } }));
}

function createColumns(nowMs: number): Column<BrowserSession>[] {
  return [
    { head: 'ID', text: ({ id }) => id, narrow: 'whole' },
    { head: 'ADDRESS', text: ({ client_address: address }) => address, narrow: 'whole' },
    { head: 'LAST USED', text: ({ last_used_at: at }) => formatAge(at, nowMs), narrow: 'whole' },
    {
      head: 'ENDS',
      text: ({ expires_at: at }) => `in ${formatSpan(Date.parse(at) - nowMs)}`,
      narrow: 'whole',
      drop: 1,
    },
    { head: 'BROWSER', text: ({ user_agent: agent }) => agent ?? '-', minWidth: 16, drop: 2 },
  ];
}
