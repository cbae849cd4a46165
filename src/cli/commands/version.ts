import { readBuildIdentity } from '../../platform/files/build-identity.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { printObject } from '../output/print-result.ts';
import { RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';

/** `dockbell version`: what to name in a report of a problem. */
export function declareVersion(command: CliCommand, bind: Bind): void {
  command
    .withResult(RESULT_KINDS.version, 'the versions as JSON')
    .offline()
    .explain({
      more: 'For the running daemon, the same is in `/healthz` of the admin listener, in the metric dockbell_build_info, and in the log line `daemon started`.',
      examples: [
        ['dockbell version', 'for a report of a problem'],
        ['dockbell version -o json', 'for a program'],
      ],
    })
    .action(bind(showVersion));
}

async function showVersion(session: CommandSession, options: ResultOptions): Promise<number> {
  const { version, commit, builtAt, node, sqlite } = readBuildIdentity();
  const value = { version, commit, built_at: builtAt, node, sqlite, os: process.platform, arch: process.arch };
  const print = () =>
    session.output.fields([
      ['Dockbell', version],
      ['Commit', commit],
      ['Built', builtAt],
      ['Node.js', node],
      ['SQLite', sqlite],
      ['System', `${value.os} ${value.arch}`],
    ]);
  await printObject(session, options, { kind: RESULT_KINDS.version, value, print });
  return EXIT_CODES.done;
}
