import { readPackageVersion } from '../../files/package-version.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** `dockbell version`: what to name in a report of a problem. */
export function declareVersion(command: CliCommand, bind: Bind): void {
  command
    .withJson('the versions as JSON')
    .offline()
    .explain({
      more: 'The version of the running daemon is in the dashboard and in the metric dockbell_build_info.',
      examples: [['dockbell version', 'for a report of a problem']],
    })
    .action(bind(showVersion));
}

async function showVersion({ output }: CommandSession, { json }: { json?: boolean }): Promise<number> {
  const versions = {
    version: readPackageVersion(),
    // The build replaces this expression. Sources that run without a build have no commit.
    commit: process.env.DOCKBELL_BUILD_COMMIT || null,
    node: process.versions.node,
    os: process.platform,
    arch: process.arch,
  };
  if (json === true) output.json(versions);
  else {
    output.fields([
      ['Dockbell', versions.version],
      ['Commit', versions.commit],
      ['Node.js', versions.node],
      ['System', `${versions.os} ${versions.arch}`],
    ]);
  }
  return EXIT_CODES.done;
}
