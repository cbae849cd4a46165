import { readAnswer } from '../../client/read-answer.ts';
import { WEBHOOK_FIELDS } from '../../domain/resources/webhook.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { findWebhook, WEBHOOK_ARGUMENT } from '../find/find-webhook.ts';
import { type DryRunOptions, showDryRun } from '../input/confirm.ts';
import { fieldOptions, readFieldOptions, readResets, resetOption } from '../input/field-options.ts';
import { requireEditable } from '../input/require-editable.ts';
import { jsonOption } from '../input/value-options.ts';

export const NEGATIVE =
  'the change is invalid, or the factory is defined in a repository (the error names the file to edit)';
export const HOSTED = 'For factories whose source is managed or live.';

/** `enable` and `disable` change the other field. */
const { enabled: _, ...FIELDS } = WEBHOOK_FIELDS;

/** The options of the fields, and the others. */
interface UpdateOptions extends DryRunOptions {
  reset?: string[];
}

/** `dockbell webhook update`: an edit of a managed or live factory. */
export function registerWebhookUpdate(webhook: CliCommand, bind: Bind): void {
  const command = webhook
    .command('update')
    .argument('<webhook>', WEBHOOK_ARGUMENT)
    .description('change the settings of a webhook; its name, UID and URL stay');
  for (const option of fieldOptions(FIELDS, 'change', { event: jsonOption, names: jsonOption }))
    command.addOption(option);
  command
    .addOption(resetOption(FIELDS))
    .withDryRun()
    .withJson()
    .explain({
      negative: NEGATIVE,
      more: `${HOSTED} What is not given stays as it is. The mode of authentication and the scheme cannot change: create another webhook.`,
      examples: [
        ['dockbell webhook update ci --expect-every 24h', 'an alert opens if no delivery is accepted for a day'],
        ['dockbell webhook update ci --reset expect-every record-headers', 'back to the defaults'],
        ['dockbell webhook update ci --body-format form --dry-run', 'print the current value and the new one'],
      ],
    })
    .action(bind(updateWebhook));
}

async function updateWebhook(session: CommandSession, options: UpdateOptions, nameOrUid: string): Promise<number> {
  const change = readChange(options);
  const webhook = await findWebhook(session, nameOrUid);
  const { factory, uid, name } = webhook;
  const current = webhook as { readonly [field: string]: unknown };
  const isDryRun = await showDryRun(session, options, {
    action: `Update the webhook ${name}`,
    effects: Object.entries(change).map(([field, value]) => describeChange(field, current[field], value)),
    check: () => requireEditable(session, factory),
  });
  if (isDryRun) return EXIT_CODES.done;
  const api = await session.api();
  const request = { params: { path: { factory, uid } }, body: change };
  const updated = await readAnswer(api.PATCH('/api/v1/factories/{factory}/webhooks/{uid}', request));
  if (options.json) session.output.json(updated);
  else session.output.line(`${escapeText(updated.name)} is updated.`);
  return EXIT_CODES.done;
}

/** The body of the request. Throws `CliError` if it is empty or contradicts itself. */
function readChange(options: UpdateOptions) {
  const given = readFieldOptions(FIELDS, 'change', options);
  const reset = readResets(FIELDS, options.reset);
  const both = Object.keys(reset).find((field) => field in given);
  if (both !== undefined) throw new CliError(`The command sets ${both} and resets it. Omit one of the two options.`);
  const change = { ...given, ...reset };
  if (Object.keys(change).length > 0) return change;
  throw new CliError('The command changes nothing.', {
    hint: "Add an option, such as --description TEXT. See 'dockbell webhook update --help'.",
  });
}

function describeChange(field: string, from: unknown, to: unknown): string {
  const [before, after] = [JSON.stringify(from ?? null), JSON.stringify(to)];
  return before === after ? `${field} stays ${after}.` : `${field} changes from ${before} to ${after}.`;
}
