import type { DeliveryReader } from '../../../domain/ports/deliveries/delivery-log.ts';
import type { RunReader } from '../../../domain/ports/runs/run-queue.ts';
import type { Run } from '../../../domain/resources/run.ts';
import { escapeText } from '../../../domain/words/escape-text.ts';
import { shortenText } from '../../../domain/words/payload-filters.ts';
import { explainRunError } from '../../../domain/words/runs.ts';

/** What texts about runs are composed from. */
interface RunTextSources {
  runs: Pick<RunReader, 'get' | 'list'>;
  deliveries: Pick<DeliveryReader, 'get'>;
}

/** For example: run_01… for issues.opened "Crash at start". The command ended with exit code 3. */
export async function describeRun({ deliveries }: RunTextSources, run: Run): Promise<string> {
  const delivery = await deliveries.get(run.delivery);
  const event = delivery?.event ?? run.deliveryIdentity;
  const subject = delivery?.summary == null ? '' : ` "${shortenText(delivery.summary)}"`;
  const failure = explainRunError(run);
  return escapeText(`${run.id} for ${shortenText(event)}${subject}.${failure === null ? '' : ` ${failure.text}`}`);
}

/** The most recent failed run of a factory, or of one of its automations, as a sentence; empty if none is stored. */
export async function describeFailedRun(
  sources: RunTextSources,
  search: { factory: string; automation?: string },
): Promise<string> {
  const { data } = await sources.runs.list({ ...search, state: 'failed', limit: 1, cursor: null });
  const [run] = data;
  return run === undefined ? '' : ` Last failure: ${await describeRun(sources, run)}`;
}
