import type { Automation } from '../../client/api-types.ts';
import { findAnswer, isNotFound, readAnswer, readTagged } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type AutomationBody, declareAutomation, readAutomationFile } from '../input/automation-file.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { requireEditable } from '../input/require-editable.ts';

const NEGATIVE = 'the change is invalid, or the factory is defined in a repository (the error names the file to edit)';
const HOSTED = 'For factories whose source is managed or live.';
const FILE = 'file with the text of its automation.md; - for standard input';
const NAME = 'name of the automation';

interface FileOptions {
  file: string;
  json?: boolean;
}

/** `dockbell automation create|update|enable|disable|delete`: edits of managed and live factories. */
export function registerAutomationEditCommands(automation: CliCommand, bind: Bind): void {
  automation
    .command('create')
    .argument('<name>', NAME)
    .description('create an automation from a file')
    .requiredOption('--file <file>', FILE)
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: `${HOSTED} The text is front matter between lines of ---, then the prompt.`,
      examples: [
        ['dockbell automation create triage --file automation.md', 'deliveries start it immediately'],
        [
          'dockbell automation show triage --as-file | dockbell automation create triage-2 --file -',
          'copy an automation',
        ],
      ],
    })
    .action(bind(createAutomation));
  automation
    .command('update')
    .argument('<name>', NAME)
    .description('replace an automation with the text of a file')
    .requiredOption('--file <file>', FILE)
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [
        ['dockbell automation show triage --as-file > triage.md', 'save the current text'],
        ['dockbell automation update triage --file triage.md', 'apply the edited text'],
      ],
    })
    .action(bind(updateAutomation));
  registerSwitch(automation, bind, 'enable', 'enable an automation, so that deliveries start it');
  registerSwitch(
    automation,
    bind,
    'disable',
    'disable an automation, so that no delivery starts it; deliveries are still accepted and logged',
  );
  automation
    .command('delete')
    .argument('<name>', NAME)
    .description('delete an automation; its runs stay, also those in the queue')
    .withYes()
    .withJson('the name as JSON')
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [['dockbell automation delete triage', "to restore it in a managed factory, run 'dockbell revert'"]],
    })
    .action(bind(deleteAutomation));
}

function registerSwitch(automation: CliCommand, bind: Bind, verb: 'enable' | 'disable', description: string): void {
  automation
    .command(verb)
    .argument('<name>', NAME)
    .description(description)
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: HOSTED,
      examples: [[`dockbell automation ${verb} triage`, 'takes effect immediately']],
    })
    .action(
      bind((session: CommandSession, options: { json?: boolean }, name: string) => {
        const done = verb === 'enable' ? 'is enabled' : 'is disabled: no delivery starts it';
        return change(session, options, name, done, (body) => ({ ...body, enabled: verb === 'enable' }));
      }),
    );
}

async function createAutomation(session: CommandSession, options: FileOptions, name: string): Promise<number> {
  const body = await readAutomationFile(session.context, options.file);
  const [api, factory] = [await session.api(), await session.factory()];
  const created = await session.create((headers) =>
    api.POST('/api/v1/factories/{factory}/automations', {
      params: { path: { factory } },
      body: { ...body, name },
      headers,
    }),
  );
  return report(session, options, created, 'is created');
}

async function updateAutomation(session: CommandSession, options: FileOptions, name: string): Promise<number> {
  const body = await readAutomationFile(session.context, options.file);
  return change(session, options, name, 'is updated', () => body);
}

/** Changes the current version. Another change at the same time is not overwritten: the daemon answers 412. */
async function change(
  session: CommandSession,
  options: { json?: boolean },
  name: string,
  done: string,
  edit: (body: AutomationBody) => AutomationBody,
): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const params = { path: { factory, name } };
  const path = '/api/v1/factories/{factory}/automations/{name}';
  const { value, etag } = await readTagged(api.GET(path, { params })).catch((error: unknown) => {
    throw isNotFound(error) ? describeUnknown(factory, name) : error;
  });
  if (etag === null)
    throw new CliError('The answer has no ETag, so it did not come from a Dockbell daemon.', {
      code: 'unexpected_answer',
    });
  const request = { params, body: edit(declareAutomation(value)), headers: { 'if-match': etag } };
  return report(session, options, await readAnswer(api.PUT(path, request)), done);
}

/** The error for a name that the factory does not have. */
export function describeUnknown(factory: string, name: string): CliError {
  return new CliError(`Factory ${escapeText(factory)} has no automation '${escapeText(name)}'.`, {
    code: 'not_found',
    hint: "See 'dockbell automation list'.",
  });
}

function report({ output }: CommandSession, options: { json?: boolean }, automation: Automation, done: string): number {
  if (options.json) output.json(automation);
  else output.line(`${escapeText(automation.name)} ${done}.`);
  return EXIT_CODES.done;
}

async function deleteAutomation(
  session: CommandSession,
  options: ConfirmOptions & { json?: boolean },
  name: string,
): Promise<number> {
  const [api, factory] = [await session.api(), await session.factory()];
  const isConfirmed = await confirm(session, options, {
    action: `Delete the automation ${name}`,
    effects: ['Deliveries no longer start it.'],
    check: async () => {
      const params = { path: { factory, name } };
      const found = await findAnswer(api.GET('/api/v1/factories/{factory}/automations/{name}', { params }));
      if (found === null) throw describeUnknown(factory, name);
      await requireEditable(session, factory);
    },
  });
  if (!isConfirmed) return EXIT_CODES.done;
  await readAnswer(
    api.DELETE('/api/v1/factories/{factory}/automations/{name}', { params: { path: { factory, name } } }),
  );
  if (options.json) session.output.json({ name });
  else session.output.line(`Deleted the automation ${escapeText(name)}.`);
  return EXIT_CODES.done;
}
