import { resolve } from 'node:path';
import { Option } from 'commander';
import { readSamples } from '../../definitions/check/check-samples.ts';
import { reportSamples } from '../../samples/report-samples.ts';
import { SAMPLE_FORMATS, type SampleFormat } from '../../samples/sample-formats.ts';
import { escapeText } from '../../words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { collectSources, type OfflineValidation, validateOffline } from '../offline/validate-offline.ts';
import { hasColors } from '../output/colors.ts';
import type { Bind, Session } from '../session.ts';

interface TestOptions {
  format: SampleFormat;
  webhook?: string;
  rev?: string;
  json?: boolean;
}

/** `dockbell test`: what samples of deliveries would start, without a daemon. */
export function registerTestCommand(program: CliCommand, bind: Bind): void {
  program
    .command('test')
    .argument('[dir]', 'folder of the factory', '.')
    .description('what the samples beside webhooks would start, and whether that is what they expect; no daemon needed')
    .addOption(
      new Option('--format <format>', 'form of the report').choices(Object.keys(SAMPLE_FORMATS)).default('pretty'),
    )
    .option('--webhook <name>', 'only the samples of this webhook')
    .option('--rev <rev>', 'read a git revision (branch, tag, commit) instead of the files on disk')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .offline()
    .explain({
      negative: 'a sample fails or has findings, or the definition is invalid',
      more:
        'A sample is a file webhooks/<name>.samples/<sample>.json: {"body": …, "starts": ["automation"]}. "starts" is exact; a\n' +
        'sample without it is only reported. Without any sample there is nothing to fail: the command says so and ends with 0.',
      examples: [
        ['dockbell test', 'all samples of the factory in this folder'],
        ['dockbell test --webhook internal-ci --format json', 'one webhook; every decision with the key that decided'],
        ['dockbell test --format junit > samples.xml', 'for the test report of a pipeline'],
      ],
    })
    .action(bind(testSamples));
}

async function testSamples(session: Session, options: TestOptions, dir: string): Promise<number> {
  const { context, output } = session;
  const validation = await validateOffline(resolve(context.cwd, dir), options.rev);
  const { tree, validated, root } = validation;
  if (options.webhook !== undefined) refuseUnknownWebhook(options.webhook, validation);
  const subject = { validated, tree: readSamples(tree, validated), prefix: tree.prefix };
  const report = reportSamples(subject, options.webhook ?? null);
  const format = SAMPLE_FORMATS[options.json ? 'json' : options.format];
  const color = hasColors(context.stdout, context.env);
  output.bytes(Buffer.from(format({ ...report, root, sources: collectSources(tree, report.diagnostics), color })));
  // As with validate: a folder without a factory is most likely the wrong one.
  if (report.diagnostics.some(({ rule }) => rule === 'factory/not-found')) return EXIT_CODES.failed;
  return report.passed ? EXIT_CODES.done : EXIT_CODES.negative;
}

function refuseUnknownWebhook(name: string, { validated }: OfflineValidation): void {
  const { webhooks } = validated.declared;
  if (webhooks.includes(name)) return;
  throw new CliError(`The factory declares no webhook '${escapeText(name)}'.`, {
    hint: `It declares: ${webhooks.map(escapeText).join(', ') || 'none'}.`,
  });
}
