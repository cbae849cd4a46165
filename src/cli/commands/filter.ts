import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import type { FilterResult } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import type { AnyFilter } from '../../definitions/filter/parse-filter.ts';
import type { AutomationDefinition } from '../../domain/definitions/definition.ts';
import { automationPaths } from '../../domain/definitions/definition-paths.ts';
import { lowercaseNames, type Received } from '../../domain/definitions/trigger.ts';
import type { Json } from '../../domain/json.ts';
import { escapeLines, escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { DELIVERY_ARGUMENT, findDelivery } from '../find/find-delivery.ts';
import { parseJsonBytes, readInput } from '../input/read-input.ts';
import { evaluateDeclaredAutomation, evaluateFilter, parseFilterText } from '../offline/evaluate-filter.ts';
import { validateOffline } from '../offline/validate-offline.ts';
import type { Column } from '../output/table.ts';

interface TestOptions {
  filter?: string;
  headersFilter?: string;
  automation?: string;
  payload?: string;
  header?: string[];
  delivery?: string;
  dir?: string;
  json?: boolean;
}

/** `dockbell filter test`: evaluates a filter. */
export function declareFilter(filter: CliCommand, bind: Bind): void {
  filter
    .command('test')
    .description('evaluate a filter on a payload, and print the result, the key that decided, and every condition')
    .addOption(new Option('--filter <file>', 'a filter as JSON or YAML; - for standard input').conflicts('automation'))
    .addOption(
      new Option('--headers-filter <file>', 'a filter of request headers as JSON or YAML').conflicts('automation'),
    )
    .option('--automation <name>', 'the triggers of an automation, from --dir or from the daemon')
    .addOption(new Option('--payload <file>', 'a payload as JSON; - for standard input').conflicts('delivery'))
    .addOption(
      new Option('--header <header...>', 'a request header of the payload, such as "X-Event: push"').conflicts(
        'delivery',
      ),
    )
    .option('--delivery <ref>', `the stored payload of an accepted delivery: ${DELIVERY_ARGUMENT}`)
    .addOption(
      new Option(
        '--dir <dir>',
        'folder of the factory with the automation (default: the current folder if it has the automation)',
      ).conflicts('delivery'),
    )
    .withJson('result and trace as JSON')
    // Exit code 1 means "would not trigger". A conflict (no payload is stored) must not have it.
    .withExitCodes((exit, code) => (code === 'conflict' ? EXIT_CODES.usage : exit))
    .explain({
      negative: 'it would not trigger',
      more: 'With --payload and --filter, or an automation in a folder, no daemon is needed. The exit code for an invalid filter is 2.',
      examples: [
        ['dockbell filter test --filter filter.json --payload event.json', 'a filter that is not committed yet'],
        ['dockbell filter test --automation triage --payload event.json', 'an automation of this folder'],
        ['dockbell filter test --automation triage --delivery dlv_01jd3v8k6n', 'why this delivery started nothing'],
      ],
    })
    .action(bind(testFilter));
}

async function testFilter(session: CommandSession, options: TestOptions): Promise<number> {
  const isFilterGiven = options.filter !== undefined || options.headersFilter !== undefined;
  if (isFilterGiven === (options.automation !== undefined)) {
    throw new CliError('Specify either --filter FILE or --automation NAME.');
  }
  if ((options.payload === undefined) === (options.delivery === undefined)) {
    throw new CliError('Specify either --payload FILE or --delivery ID.');
  }
  if ([options.filter, options.headersFilter, options.payload].filter((path) => path === '-').length > 1) {
    throw new CliError('Only one of the filters and the payload can come from standard input.');
  }
  const result = await evaluate(session, options);
  if (options.json) session.output.json(result);
  else printResult(session, result);
  return result.verdict === 'Would trigger' ? EXIT_CODES.done : EXIT_CODES.negative;
}

async function evaluate(session: CommandSession, options: TestOptions): Promise<FilterResult> {
  const filter = options.automation === undefined ? await readFilters(session, options) : null;
  const received = options.payload === undefined ? null : await readReceived(session, options.payload, options);
  if (received === null || filter === null) {
    const automation = received === null ? null : await findAutomation(session, options.automation!, options.dir);
    if (received === null || automation === null) return askDaemon(session, options, { filter, received });
    return evaluateDeclaredAutomation(automation, received);
  }
  return evaluateFilter(filter, received);
}

async function readFilters(session: CommandSession, { filter, headersFilter }: TestOptions): Promise<AnyFilter> {
  return {
    ...(headersFilter === undefined ? {} : { headers: await readFilter(session, headersFilter) }),
    ...(filter === undefined ? {} : { payload: await readFilter(session, filter) }),
  };
}

async function readReceived(session: CommandSession, path: string, { header = [] }: TestOptions): Promise<Received> {
  const headers = Object.fromEntries(header.map(parseHeader));
  return { headers: lowercaseNames(headers), payload: await readPayload(session, path) };
}

function parseHeader(text: string): [name: string, value: string] {
  const colon = text.indexOf(':');
  if (colon < 1) throw new CliError(`--header ${escapeText(text)} has no name and value. Use "Name: value".`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}

async function readFilter(session: CommandSession, path: string): Promise<unknown> {
  return parseFilterText(Buffer.from(await readInput(session.context, path)).toString('utf8'), path);
}

async function readPayload(session: CommandSession, path: string): Promise<unknown> {
  return parseJsonBytes(await readInput(session.context, path), path === '-' ? 'Standard input' : path);
}

/** The automation in a folder. `null` if no folder was named and the current one has no automation of this name. */
async function findAutomation(
  session: CommandSession,
  name: string,
  dir: string | undefined,
): Promise<AutomationDefinition | null> {
  const folder = resolve(session.context.cwd, dir ?? '.');
  if (dir === undefined && !(await isDeclaredIn(folder, name))) return null;
  const { validated } = await validateOffline(folder);
  const { definition, declared } = validated;
  const found = definition?.automations.find((automation) => automation.name === name);
  if (found !== undefined) return found;
  if (definition === null && declared.automations.includes(name)) {
    throw new CliError(`The definition in ${folder} is invalid.`, {
      code: 'definition_invalid',
      hint: "Run 'dockbell validate' to see the errors.",
    });
  }
  throw new CliError(`${folder} has no automation '${escapeText(name)}'.`, {
    code: 'not_found',
    hint: `It has: ${declared.automations.map(escapeText).join(', ') || 'none'}.`,
  });
}

async function isDeclaredIn(folder: string, name: string): Promise<boolean> {
  if (name.includes('/') || name.includes('..')) return false;
  const paths = Object.values(automationPaths(name));
  const found = await Promise.all(paths.map((path) => stat(join(folder, path)).catch(() => null)));
  return found.some((file) => file?.isFile());
}

async function askDaemon(
  session: CommandSession,
  options: TestOptions,
  { filter, received }: { filter: AnyFilter | null; received: Received | null },
): Promise<FilterResult> {
  const [api, factory] = [await session.api(), await session.factory()];
  const subject =
    filter === null
      ? { automation: options.automation! }
      : {
          ...(filter.payload === undefined ? {} : { filter: filter.payload as Json }),
          ...(filter.headers === undefined ? {} : { headers_filter: filter.headers as Json }),
        };
  const sample =
    received === null
      ? { delivery: await findDelivery(session, options.delivery!) }
      : { payload: received.payload as Json, headers: received.headers as { [name: string]: string } };
  return readAnswer(
    api.POST('/api/v1/factories/{factory}/filters/test', {
      params: { path: { factory } },
      body: { ...subject, ...sample },
    }),
  );
}

function printResult(session: CommandSession, verdict: FilterResult): void {
  const { output } = session;
  const positive = verdict.verdict === 'Would trigger';
  output.line(positive ? output.colors.green(verdict.verdict) : output.colors.red(verdict.verdict));
  if (verdict.decided_by !== null)
    output.line(`Decided by: ${escapeText(verdict.decided_by || '(the payload itself)')}`);
  if (verdict.message !== '') output.line(escapeLines(verdict.message));
  if (verdict.trace.length === 0) return;
  output.line();
  output.table(TRACE_COLUMNS, verdict.trace);
}

/** For objects, the trace contains a description in words, which is not quoted. */
function showValue(entry: TraceEntry, value: Json): string {
  return entry.operator === 'object' && typeof value === 'string' ? value : JSON.stringify(value);
}

type TraceEntry = FilterResult['trace'][number];

const TRACE_COLUMNS: Column<TraceEntry>[] = [
  { head: 'KEY', text: (entry) => entry.path || '(the payload)', narrow: 'whole' },
  { head: 'OPERATOR', text: (entry) => entry.operator, narrow: 'whole', drop: 1 },
  { head: 'EXPECTED', text: (entry) => showValue(entry, entry.expected) },
  { head: 'ACTUAL', text: (entry) => (entry.present ? showValue(entry, entry.actual) : 'absent') },
  {
    head: 'RESULT',
    text: (entry) => (entry.matched ? 'matched' : 'failed'),
    color: (entry, colors) => (entry.matched ? colors.green : colors.red),
    narrow: 'whole',
  },
];
