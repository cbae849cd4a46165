import { resolve } from 'node:path';
import { Option } from 'commander';
import { OPTIONS } from '../../config/options.ts';
import type { SourceTree } from '../../core/source-tree.ts';
import type { DiagnosticFormat } from '../../definitions/format-diagnostics.ts';
import { DIAGNOSTIC_FORMATS } from '../../definitions/format-diagnostics.ts';
import type { ValidatedTree } from '../../definitions/validate-tree.ts';
import type { CliCommand } from '../cli-command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { hasColors } from '../output.ts';
import type { Bind, Session } from '../session.ts';
import { validateOffline } from '../validate-offline.ts';

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
    .argument('[dir]', 'folder of the factory', '.')
    .description('check the definition files of a folder, or of a commit, without a daemon; every finding at once')
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
      negative: 'the definition is invalid; with --strict: or has warnings',
      more:
        'Paths are relative to the root of the repository that holds the folder, so that editors and pipelines find them.\n' +
        `Webhooks are counted against the default limit, ${OPTIONS['limits.webhooksPerFactory'].default} a factory; a daemon may be configured otherwise.`,
      examples: [
        ['dockbell validate', 'the factory in this folder'],
        ['dockbell validate --strict --rev HEAD', 'what was committed, as a check of a pull request does'],
        ['dockbell validate factories/payments --format json', 'for scripts'],
      ],
    })
    .action(bind(validate));
}

async function validate(session: Session, options: ValidateOptions, dir: string): Promise<number> {
  const { validated, tree, root } = await validateOffline(resolve(session.context.cwd, dir), options.rev);
  const { diagnostics, declared } = validated;
  const isValid = options.strict ? diagnostics.length === 0 : validated.definition !== null;
  const { context, output } = session;
  const format = options.json ? 'json' : options.format;
  const report = DIAGNOSTIC_FORMATS[format]({
    valid: isValid,
    diagnostics,
    ...declared,
    root,
    sources: collectSources(tree),
    color: hasColors(context.stdout, context.env),
  });
  output.bytes(Buffer.from(report));
  if (format === 'pretty') printSummary(session, validated, isValid);
  return isValid ? EXIT_CODES.done : EXIT_CODES.negative;
}

function printSummary({ output }: Session, { declared, definition }: ValidatedTree, isValid: boolean): void {
  const { webhooks, automations } = declared;
  const holds = `${countOf(webhooks.length, 'webhook')}, ${countOf(automations.length, 'automation')}`;
  const why = !isValid && definition !== null ? ' (warnings fail with --strict)' : '';
  output.line(isValid ? output.colors.green(`Valid: ${holds}.`) : output.colors.red(`Invalid: ${holds}${why}.`));
}

/** Text of each file under the path that findings show, to quote the line that is wrong. */
function collectSources(tree: SourceTree): Map<string, string> {
  const readable = tree.entries.filter((entry) => entry.bytes !== null);
  return new Map(readable.map((entry) => [`${tree.prefix}${entry.path}`, Buffer.from(entry.bytes!).toString('utf8')]));
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
