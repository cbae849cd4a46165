import { resolve } from 'node:path';
import type { ConfigProblem } from '../../config/config-document.ts';
import { AppError } from '../../domain/errors.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CONFIG_FILE } from '../connection.ts';
import type { CliContext } from '../context.ts';
import { EXIT_CODES } from '../exit-codes.ts';

/** `dockbell config …`: the configuration of the daemon. */
export function declareConfig(config: CliCommand, bind: Bind): void {
  config
    .command('check')
    .description('check the configuration without starting the daemon, and print all errors')
    .argument('[file]', 'the configuration', CONFIG_FILE)
    .withJson('valid, file and problems as JSON')
    .offline()
    .explain({
      negative: 'the configuration is not valid, or a part of it never works',
      more: "Replaces references to variables and reads the DOCKBELL_ variables, as the daemon does: run the command with the daemon's environment.",
      examples: [
        ['dockbell config check', 'the dockbell.yaml of this folder'],
        ['dockbell config check /etc/dockbell/dockbell.yaml && systemctl restart dockbell', 'before a restart'],
      ],
    })
    .action(bind(checkConfig));
}

async function checkConfig({ output, context }: CommandSession, { json }: { json?: boolean }, file: string) {
  const path = resolve(context.cwd, file);
  const invalid = await findErrors(file, context);
  if (json === true) output.json({ valid: invalid === null, file: path, problems: invalid?.problems ?? [] });
  else output.line(invalid?.text ?? `Valid: ${path}`);
  return invalid === null ? EXIT_CODES.done : EXIT_CODES.negative;
}

/** All errors of the configuration, else what never works although the daemon starts; `null` if all of it is usable. Throws `config_invalid` if the file cannot be read. */
async function findErrors(file: string, { env, cwd }: CliContext): Promise<ConfigErrors | null> {
  // Imported here, so that the help does not load the whole configuration.
  const { loadConfig } = await import('../../config/load-config.ts');
  try {
    const { warnings } = await loadConfig({ file, env, workingDir: cwd });
    return warnings.length === 0 ? null : { text: describeWarnings(warnings), problems: warnings };
  } catch (error) {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    return { text: error.message, problems: error.details };
  }
}

function describeWarnings(warnings: readonly ConfigProblem[]): string {
  const lines = warnings.map(({ where, message }) => escapeText(`${where}: ${message}`));
  return ['The daemon starts with this configuration, but a part of it never works:', ...lines].join('\n');
}

interface ConfigErrors {
  text: string;
  problems: readonly ConfigProblem[];
}
