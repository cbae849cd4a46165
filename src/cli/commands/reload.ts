import type { Reload } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** `dockbell reload`: the daemon reads its configuration again. */
export function declareReload(command: CliCommand, bind: Bind): void {
  command
    .withJson()
    .explain({
      more: 'The signal SIGHUP does the same. A configuration that is not valid changes nothing. A changed limit of deliveries\nbegins to count again.',
      examples: [['dockbell reload', 'after a change of dockbell.yaml']],
    })
    .action(bind(reload));
}

async function reload(session: CommandSession, options: { json?: boolean }): Promise<number> {
  const { output } = session;
  const api = await session.api();
  const reloaded = await readAnswer(api.POST('/api/v1/reload', {}));
  if (options.json) output.json(reloaded);
  else for (const line of describe(reloaded)) output.line(line);
  return EXIT_CODES.done;
}

function describe({ applied, restart_required, factories: { added, changed, removed } }: Reload): string[] {
  const lines = [
    ...listNames('Applied', applied),
    ...listNames('New factories', added),
    ...listNames('Changed factories', changed),
    ...listNames('Removed factories', removed),
    ...listNames('Takes effect after a restart', restart_required),
  ];
  return lines.length === 0 ? ['Nothing has changed.'] : lines;
}

function listNames(title: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${title}: ${names.map(escapeText).join(', ')}`];
}
