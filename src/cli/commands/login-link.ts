import type { CliCommand } from '../cli-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Bind, Session } from '../session.ts';

/** `dockbell login-link`: a way into the dashboard for whoever may use the API as an owner. */
export function registerLoginLinkCommand(program: CliCommand, bind: Bind): void {
  program
    .command('login-link')
    .description('make a link that signs in to the dashboard as an owner, once and within 15 minutes')
    .withJson()
    .explain({
      more: 'Beside the daemon it needs nothing else: it uses the owner token in the data directory. So it is also the way\nback in for whoever lost a password.',
      examples: [
        ['dockbell login-link', 'open what it prints in a browser'],
        ['dockbell login-link --data-dir /var/lib/dockbell', 'as the user that runs the daemon'],
      ],
    })
    .action(bind(makeLoginLink));
}

async function makeLoginLink(session: Session, options: { json?: boolean }): Promise<number> {
  const api = await session.api();
  const link = await session.create((headers) => api.POST('/api/v1/login-links', { headers }));
  if (options.json) session.output.json(link);
  else {
    session.output.line(link.url);
    session.output.note(`It works once, until ${link.expires_at}.`);
  }
  return EXIT_CODES.done;
}
