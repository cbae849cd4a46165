import { InvalidArgumentError, Option } from 'commander';
import { DELIVERY_LABELS, type DeliveryLabel } from '../../domain/resources/delivery.ts';
import type { CliCommand } from '../cli-command.ts';
import { type InstantOption, instantOption, toInstant } from './value-options.ts';

export interface DeliveryFilterOptions {
  label?: DeliveryLabel;
  deliveryId?: string;
  event?: string;
  unmatched?: boolean;
  search?: string;
  from?: InstantOption;
  to?: InstantOption;
}

/**
 * Adds the filters of deliveries to a command.
 *
 * @param conflicts options that exclude the filters of which the past alone can be asked
 */
export function addDeliveryFilters(command: CliCommand, conflicts: string[] = []): CliCommand {
  return command
    .addOption(
      new Option('--label <label>', `only deliveries with this label: ${DELIVERY_LABELS.join(', ')}`).argParser(
        parseLabel,
      ),
    )
    .option('--delivery-id <id>', 'only deliveries with exactly this delivery ID of the sender')
    .addOption(
      new Option(
        '--event <name>',
        'only accepted deliveries with this event; pull_request also finds pull_request.opened',
      ).conflicts(conflicts),
    )
    .addOption(new Option('--unmatched', 'only accepted deliveries that started no run').conflicts(conflicts))
    .addOption(
      new Option(
        '--search <text>',
        'only deliveries whose stored payload or recorded headers contain exactly this text',
      ).conflicts(conflicts),
    )
    .addOption(instantOption('--from <time>', 'only deliveries received at this time or later'))
    .addOption(instantOption('--to <time>', 'only deliveries received before this time').conflicts(conflicts));
}

/** Is any filter set? */
export function hasDeliveryFilters(options: DeliveryFilterOptions): boolean {
  const { label, deliveryId, event, unmatched, search, from, to } = options;
  return [label, deliveryId, event, unmatched, search, from, to].some((option) => option !== undefined);
}

/** The filters as the management API takes them, without the label. */
export function readDeliveryFilters(options: DeliveryFilterOptions, nowMs: number) {
  const { deliveryId, event, unmatched, search, from, to } = options;
  return {
    delivery_id: deliveryId,
    event,
    unmatched,
    search,
    from: toInstant(from, nowMs),
    to: toInstant(to, nowMs),
  };
}

/** Finds the label of this name, regardless of upper and lower case. */
function parseLabel(text: string): string {
  const label = DELIVERY_LABELS.find((candidate) => candidate.toLowerCase() === text.toLowerCase());
  if (label !== undefined) return label;
  throw new InvalidArgumentError(`Allowed are: ${DELIVERY_LABELS.join(', ')}.`);
}
