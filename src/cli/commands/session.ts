import type { BrowserSession } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { describeIdForms, pickById } from '../find/find-id.ts';
import { findUser, USER_ARGUMENT } from '../find/find-user.ts';
import { type DryRunOptions, showDryRun } from '../input/confirm.ts';
import { formatAge, formatSpan } from '../output/format-time.ts';
import { printList } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';

/** `dockbell session …`: the browsers in which somebody is signed in. */
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
  group
    .command('end')
    .argument('<id>', `the session: ${describeIdForms('ses')}`)
    .description('end a session of the token that the command uses; that browser is signed out immediately')
    .withDryRun()
    .explain({
      more: "The token can sign in again. To prevent this, revoke it: 'dockbell token revoke'. Sessions of a user: 'dockbell user sign-out'.",
      examples: [['dockbell session end ses_01jd3v8k6n', "a browser that 'dockbell session list' shows"]],
    })
    .action(bind(endSession));
}

async function endSession(session: CommandSession, options: DryRunOptions, ref: string): Promise<number> {
  const { data } = await readSessions(session, undefined);
  const found = pickById({ what: 'session', type: 'ses' }, ref, data);
  if (found === null) {
    throw new CliError(`This token has no session '${escapeText(ref)}'.`, {
      code: 'not_found',
      hint: "'dockbell session list' shows its sessions. 'dockbell user sign-out' ends all sessions of a user.",
    });
  }
  const action = `End the session ${found.id} from ${found.client_address}`;
  if (await showDryRun(session, options, { action, effects: ['The token can sign in again.'] })) return EXIT_CODES.done;
  const api = await session.api();
  await readAnswer(api.DELETE('/api/v1/sessions/{id}', { params: { path: { id: found.id } } }));
  session.output.line(`Ended session ${escapeText(found.id)}.`);
  return EXIT_CODES.done;
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
