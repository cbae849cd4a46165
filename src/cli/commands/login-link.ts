import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** `dockbell login-link`: a link that signs in to the dashboard, for owners of the API. */
export function declareLoginLink(command: CliCommand, bind: Bind): void {
  command
    .withJson()
    .explain({
      more: 'On the host of the daemon it needs no credentials: it uses the owner token in the data directory. Use it also if you\nlost your password.',
      examples: [
        ['dockbell login-link', 'open the link in a browser'],
        ['dockbell login-link --data-dir /var/lib/dockbell', 'as the user that runs the daemon'],
      ],
    })
    .action(bind(makeLoginLink));
}

async function makeLoginLink(session: CommandSession, options: { json?: boolean }): Promise<number> {
  const api = await session.api();
  const link = await session.create((headers) => api.POST('/api/v1/login-links', { headers }));
  if (options.json) session.output.json(link);
  else {
    session.output.line(link.url);
    session.output.note(`The link works once, until ${link.expires_at}.`);
  }
  return EXIT_CODES.done;
}
