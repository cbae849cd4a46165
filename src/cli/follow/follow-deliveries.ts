import type { Delivery } from '../../client/api-types.ts';
import { type ListQuery, listRows, type Page } from '../../client/list-rows.ts';
import type { CliContext } from '../context.ts';

interface FollowRequest {
  context: CliContext;
  /** Reads one page of the log, the most recent entries first. */
  readPage: (query: ListQuery) => Promise<Page<Delivery>>;
  /** Number of entries to begin with. */
  limit: number;
  /** Called once for each entry, the oldest first. */
  print: (delivery: Delivery) => void;
}

const POLL_MS = 1000;
const PAGE = 100;
// Entries of the same millisecond may become visible in another order than their IDs, so shown IDs are remembered.
const MAX_REMEMBERED = 2000;

/** Prints the most recent entries and then each new one, until Ctrl-C or until the output is closed. */
export async function followDeliveries(request: FollowRequest): Promise<void> {
  const { context, readPage, limit, print } = request;
  const stopped = AbortSignal.any([context.catchInterrupts(), context.outputClosed]);
  const first = await listRows(readPage, limit);
  const shown = new ShownRows(first.next_cursor === null ? '' : (first.data.at(-1)?.id ?? ''));
  shown.takeNew(first.data).reverse().forEach(print);
  while (!stopped.aborted) {
    await context.sleep(POLL_MS, stopped);
    if (stopped.aborted) return;
    const newer = await readNewer({ ...request, shown, stopped });
    newer.reverse().forEach(print);
  }
}

/** All entries that were not shown yet, the most recent first. It reads several pages if many have arrived. */
async function readNewer(
  request: Pick<FollowRequest, 'readPage'> & { shown: ShownRows; stopped: AbortSignal },
): Promise<Delivery[]> {
  const { readPage, shown, stopped } = request;
  const newer: Delivery[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<Delivery> = await readPage({ limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    const fresh = shown.takeNew(page.data);
    newer.push(...fresh);
    cursor = fresh.length === page.data.length ? page.next_cursor : null;
  } while (cursor !== null && !stopped.aborted);
  return newer;
}

/** The entries that were shown. IDs are time-ordered: IDs below the floor are older than everything to show. */
class ShownRows {
  #floor: string;
  #ids = new Set<string>();

  constructor(floor: string) {
    this.#floor = floor;
  }

  takeNew(rows: readonly Delivery[]): Delivery[] {
    const fresh = rows.filter((row) => row.id >= this.#floor && !this.#ids.has(row.id));
    for (const row of fresh) this.#ids.add(row.id);
    if (this.#ids.size > 2 * MAX_REMEMBERED) this.#forgetOldest();
    return fresh;
  }

  #forgetOldest(): void {
    const kept = [...this.#ids].sort().slice(-MAX_REMEMBERED);
    this.#ids = new Set(kept);
    this.#floor = kept[0]!;
  }
}
