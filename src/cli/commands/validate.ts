import { resolve } from 'node:path';
import { Option } from 'commander';
import { OPTIONS } from '../../config/options.ts';
import type { DiagnosticFormat } from '../../definitions/report/format-diagnostics.ts';
import { DIAGNOSTIC_FORMATS } from '../../definitions/report/format-diagnostics.ts';
import type { ValidationReport } from '../../definitions/report/validation-report.ts';
import type { CliCommand } from '../cli-command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { buildReport } from '../offline/build-report.ts';
import type { OfflineValidation } from '../offline/validate-offline.ts';
import { validateOffline } from '../offline/validate-offline.ts';
import { hasColors } from '../output/colors.ts';
import type { Bind, Session } from '../session.ts';

interface ValidateOptions {
  format: DiagnosticFormat;
  strict?: boolean;
  rev?: string;
  json?: boolean;
}

/** `dockbell validate`: what an apply would refuse, without a daemon. */
export function registerValidateCommand(program: CliCommand, bind: Bind): void {
  program
    .command('validate')
    .argument('[dirs...]', 'folders of factories, each one by itself', ['.'])
    .description('check the definition files of folders, or of a commit, without a daemon; every finding at once')
    .addOption(
      new Option('--format <format>', 'form of the findings')
        .choices(Object.keys(DIAGNOSTIC_FORMATS))
        .default('pretty'),
    )
    .option('--strict', 'warnings fail too')
    .option('--rev <rev>', 'read a git revision (branch, tag, commit) instead of the files on disk')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .offline()
    .explain({
      negative: 'a definition is invalid; with --strict: or has warnings',
      more:
        'Paths are relative to the root of the repository that holds the folder, so that editors and pipelines find them.\n' +
        'A folder that is not there or that holds no factory is nothing to check, and ends with 2.\n' +
        `Webhooks are counted against the default limit, ${OPTIONS['limits.webhooksPerFactory'].default} a factory; a daemon may be configured otherwise.`,
      examples: [
        ['dockbell validate', 'the factory in this folder'],
        ['dockbell validate --strict --rev HEAD', 'what was committed, as a check of a pull request does'],
        ['dockbell validate factories/payments factories/search --format json', 'two factories, for scripts'],
        ['dockbell validate --format github', 'annotations of a pull request; gitlab, sarif and junit are for others'],
      ],
    })
    .action(bind(validate));
}

async function validate({ context, output }: Session, options: ValidateOptions, dirs: string[]): Promise<number> {
  const validations = await validateEach(dirs, context.cwd, options.rev);
  const color = hasColors(context.stdout, context.env);
  const report = buildReport(validations, { isStrict: options.strict === true, color });
  output.bytes(Buffer.from(DIAGNOSTIC_FORMATS[options.json ? 'json' : options.format](report)));
  return exitCodeFor(report);
}

/** One after the other, and each folder once. */
async function validateEach(dirs: string[], cwd: string, rev: string | undefined): Promise<OfflineValidation[]> {
  if (dirs.includes('-')) {
    throw new CliError('"-" is no folder: a factory is a folder of files, which standard input cannot hold.', {
      hint: 'Name the folders to validate; without any, it is the current one.',
    });
  }
  const validations: OfflineValidation[] = [];
  for (const dir of new Set(dirs.map((name) => resolve(cwd, name)))) validations.push(await validateOffline(dir, rev));
  return validations;
}

/** A folder without a factory is most likely the wrong one: told apart from a wrong definition. */
function exitCodeFor({ valid, factories }: ValidationReport): ExitCode {
  const isNothing = ({ rule }: { rule: string }) => rule === 'factory/not-found';
  if (factories.some(({ diagnostics }) => diagnostics.some(isNothing))) return EXIT_CODES.failed;
  return valid ? EXIT_CODES.done : EXIT_CODES.negative;
}
