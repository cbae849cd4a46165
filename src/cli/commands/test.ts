import { resolve } from 'node:path';
import { Option } from 'commander';
import { readSamples } from '../../definitions/check/check-samples.ts';
import { collectSources } from '../../definitions/report/collect-sources.ts';
import { reportSamples } from '../../definitions/samples/report-samples.ts';
import { SAMPLE_FORMATS, type SampleFormat } from '../../definitions/samples/sample-formats.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type OfflineValidation, validateOffline } from '../offline/validate-offline.ts';
import { hasColors } from '../output/colors.ts';

interface TestOptions {
  format: SampleFormat;
  webhook?: string;
  rev?: string;
  json?: boolean;
}

/** `dockbell test`: evaluates samples of deliveries, without a daemon. */
export function declareTest(command: CliCommand, bind: Bind): void {
  command
    .argument('[dir]', 'folder of the factory', '.')
    .addOption(new Option('--format <format>', 'output format').choices(Object.keys(SAMPLE_FORMATS)).default('pretty'))
    .option('--webhook <name>', 'only the samples of this webhook')
    .option('--rev <rev>', 'read a git revision (branch, tag, commit) instead of the files on disk')
    .addOption(new Option('--json', 'the same as --format json').conflicts('format'))
    .offline()
    .explain({
      negative: 'a sample fails or has findings, the definition is invalid, or the factory has no such webhook',
      more:
        'A sample is a file webhooks/<name>.samples/<sample>.json or automations/<name>.samples/<sample>.json:\n' +
        '{"body": …, "starts": ["automation"]}. "starts" lists all automations that start. A sample without it is only\n' +
        'reported. If no sample exists, the exit code is 0.',
      examples: [
        ['dockbell test', 'all samples of the factory in this folder'],
        [
          'dockbell test --webhook internal-ci --format json',
          'one webhook, with the key that decided for each automation',
        ],
        ['dockbell test --format junit > samples.xml', 'for the test report of a pipeline'],
      ],
    })
    .action(bind(testSamples));
}

async function testSamples(session: CommandSession, options: TestOptions, dir: string): Promise<number> {
  const { context, output } = session;
  const validation = await validateOffline(resolve(context.cwd, dir), options.rev);
  const { tree, validated, root } = validation;
  if (options.webhook !== undefined) rejectUnknownWebhook(options.webhook, validation);
  const subject = { validated, tree: readSamples(tree, validated), prefix: tree.prefix };
  const report = reportSamples(subject, options.webhook ?? null);
  const format = SAMPLE_FORMATS[options.json ? 'json' : options.format];
  const color = hasColors(context.stdout, context.env);
  output.bytes(Buffer.from(format({ ...report, root, sources: collectSources(tree, report.diagnostics), color })));
  // As in validate: a folder without a factory is probably the wrong one.
  if (report.diagnostics.some(({ rule }) => rule === 'factory/not-found')) return EXIT_CODES.usage;
  return report.passed ? EXIT_CODES.done : EXIT_CODES.negative;
}

function rejectUnknownWebhook(name: string, { validated }: OfflineValidation): void {
  const { webhooks } = validated.declared;
  if (webhooks.includes(name)) return;
  throw new CliError(`The factory has no webhook '${escapeText(name)}'.`, {
    code: 'not_found',
    hint: `It has: ${webhooks.map(escapeText).join(', ') || 'none'}.`,
  });
}
