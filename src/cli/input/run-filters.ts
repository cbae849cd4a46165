import { Option } from 'commander';
import { RUN_STATES, type RunState } from '../../domain/resources/run.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CommandSession } from '../command-session.ts';
import { DELIVERY_ARGUMENT, findDelivery } from '../find/find-delivery.ts';
import { findWebhookOrDeleted } from '../find/find-webhook.ts';
import { type InstantOption, instantOption, toInstant } from './value-options.ts';

export interface RunFilterOptions {
  state?: RunState;
  deadLetter?: boolean;
  automation?: string;
  delivery?: string;
  webhook?: string;
  revision?: string;
  since?: InstantOption;
  search?: string;
}

/** Adds the filters of runs to a command. */
export function addRunFilters(command: CliCommand, states: readonly RunState[] = RUN_STATES): CliCommand {
  return command
    .addOption(new Option('--state <state>', 'only runs in this state').choices(states))
    .addOption(
      new Option('--dead-letter', 'only runs that failed and have no automatic attempt left').conflicts('state'),
    )
    .option('--automation <name>', 'only runs of this automation')
    .option('--delivery <ref>', `only runs of this delivery: ${DELIVERY_ARGUMENT}`)
    .option('--webhook <name>', 'only runs of this webhook: its name, or its UID')
    .option('--revision <commit>', 'only runs that started while this revision was live: its first characters')
    .addOption(instantOption('--since <time>', 'only runs created at this time or later'))
    .option(
      '--search <text>',
      'only runs with this text in their result: the summary, the title or URL of a link, or an artifact',
    );
}

/** Is any filter set? */
export function hasRunFilters(options: RunFilterOptions): boolean {
  const { state, deadLetter, automation, delivery, webhook, revision, since, search } = options;
  return [state, deadLetter, automation, delivery, webhook, revision, since, search].some(
    (option) => option !== undefined,
  );
}

/** The filters as the management API takes them. */
export async function readRunFilters<State extends RunState>(
  session: CommandSession,
  options: RunFilterOptions & { state?: State },
) {
  const { state, deadLetter, automation, revision, search } = options;
  return {
    state,
    dead_letter: deadLetter,
    automation,
    delivery: options.delivery === undefined ? undefined : await findDelivery(session, options.delivery),
    webhook: options.webhook === undefined ? undefined : (await findWebhookOrDeleted(session, options.webhook)).uid,
    revision,
    since: toInstant(options.since, session.nowMs),
    search,
  };
}
