import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CommandSession } from '../command-session.ts';
import { CliError } from '../exit-codes.ts';

/** The failure of a dry run whose change the daemon would reject. */
export function rejectChange(reason: string, hint = ''): CliError {
  return new CliError(`${escapeText(reason)} The daemon would reject the command.`, {
    code: 'conflict',
    hint: escapeText(hint),
  });
}

/** Throws `CliError` if the source of the factory does not allow the edit. */
export async function requireEditable(
  session: CommandSession,
  factory: string,
  types: readonly string[] = ['managed', 'live'],
): Promise<void> {
  const api = await session.api();
  const { source } = await readAnswer(api.GET('/api/v1/factories/{factory}', { params: { path: { factory } } }));
  const type = source?.type ?? null;
  if (type !== null && types.includes(type)) return;
  const reason = type === null ? 'is no longer in the configuration' : `has the source ${type}`;
  throw rejectChange(
    `The factory ${factory} ${reason}.`,
    `The command is for factories with the source ${types.join(' or ')}.`,
  );
}
