import { resolve } from 'node:path';
import { Option } from 'commander';
import { LIMIT_OPTIONS } from '../../config/options/limit-options.ts';
import type { DiagnosticFormat } from '../../definitions/report/format-diagnostics.ts';
import { DIAGNOSTIC_FORMATS } from '../../definitions/report/format-diagnostics.ts';
import type { ValidationReport } from '../../definitions/report/validation-report.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import type { ExitCode } from '../exit-codes.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { buildReport } from '../offline/build-report.ts';
import { findFactoryOf } from '../offline/find-factories.ts';
import type { OfflineValidation } from '../offline/validate-offline.ts';
import { validateOffline } from '../offline/validate-offline.ts';
import { hasColors } from '../output/colors.ts';

interface ValidateOptions {
  format: DiagnosticFormat;
  strict?: boolean;
  rev?: string;
  json?: boolean;
}

/** `dockbell validate`: checks definitions as an apply does, without a daemon. */
export function declareValidate(command: CliCommand, bind: Bind): void {
  command
    .argument('[paths...]', 'folders of factories, or files in them; each factory is checked separately', ['.'])
    .addOption(
      new Option('--format <format>', 'output format').choices(Object.keys(DIAGNOSTIC_FORMATS)).default('pretty'),
    )
    .option('--strict', 'treat warnings as errors')
    .option('--rev <rev>', 'read a git revision (branch, tag, commit) instead of the files on disk')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .offline()
    .explain({
      negative: 'a definition is invalid, or has warnings with --strict',
      more:
        "'dockbell explain RULE' explains the rule of a finding.\n" +
        'Paths are relative to the root of the repository that holds the folder, so that editors and pipelines find them.\n' +
        'If a folder does not exist or contains no factory, the exit code is 2.\n' +
        `The limit is ${LIMIT_OPTIONS['limits.webhooksPerFactory'].default} webhooks per factory, the default of limits.webhooksPerFactory.`,
      examples: [
        ['dockbell validate', 'the factory in this folder'],
        ['dockbell validate --strict --rev HEAD', 'the last commit, as in a check of a pull request'],
        ['dockbell validate webhooks/ci.yaml', 'the factory that contains this file'],
        ['dockbell validate factories/payments factories/search --format json', 'two factories, for scripts'],
        [
          'dockbell validate --format github',
          'annotations for a pull request on GitHub; gitlab, sarif and junit are for other tools',
        ],
      ],
    })
    .action(bind(validate));
}

async function validate(
  { context, output }: CommandSession,
  options: ValidateOptions,
  dirs: string[],
): Promise<number> {
  const validations = await validateEach(dirs, context.cwd, options.rev);
  const color = hasColors(context.stdout, context.env);
  const report = buildReport(validations, { isStrict: options.strict === true, color });
  output.bytes(Buffer.from(DIAGNOSTIC_FORMATS[options.json ? 'json' : options.format](report)));
  return exitCodeFor(report);
}

/** Validates the factories sequentially, each one once. */
async function validateEach(dirs: string[], cwd: string, rev: string | undefined): Promise<OfflineValidation[]> {
  if (dirs.includes('-')) {
    throw new CliError('"-" is not a folder: a factory is a folder of files and cannot be read from standard input.', {
      hint: 'Specify the folders to validate. The default is the current folder.',
    });
  }
  const validations: OfflineValidation[] = [];
  const factories = await Promise.all(dirs.map((name) => findFactoryOf(resolve(cwd, name))));
  for (const dir of new Set(factories)) validations.push(await validateOffline(dir, rev));
  return validations;
}

/** A folder without a factory is probably the wrong folder, so its exit code differs from that of an invalid definition. */
function exitCodeFor({ valid, factories }: ValidationReport): ExitCode {
  const isNothing = ({ rule }: { rule: string }) => rule === 'factory/not-found';
  if (factories.some(({ diagnostics }) => diagnostics.some(isNothing))) return EXIT_CODES.usage;
  return valid ? EXIT_CODES.done : EXIT_CODES.negative;
}
