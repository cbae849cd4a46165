import { Counter, Gauge, type Registry } from 'prom-client';
import type { RunTotals } from '../../../domain/ports/inventory.ts';
import type { RunObserver } from '../../../domain/ports/run-control.ts';
import { RECENT_RUNS } from '../../../domain/runs/run-results.ts';
import { Histogram } from '../../../domain/telemetry/histogram.ts';
import { formatLabels, type LabelledHistogram, renderHistograms } from './histogram-text.ts';
import { MAX_NAMED_AUTOMATIONS, NamedSeries, OTHER } from './named-series.ts';
import { shareReads } from './share-reads.ts';
import { findOrAdd } from './tally.ts';

const DURATION_SECONDS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 10_800];
const QUEUE_SECONDS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600];

/** Metrics of runs by automation. */
interface RunMetrics extends RunObserver {
  forgetFactory(factory: string): void;
  /** The histograms, in the text format. */
  renderHistograms(): string;
}

/** @param readTotals of each automation with ended runs; `null` if they are not available */
export function createRunMetrics(registry: Registry, readTotals: () => Promise<RunTotals[] | null>): RunMetrics {
  const named = new NamedSeries(MAX_NAMED_AUTOMATIONS);
  const durations = new HistogramsByLabels(DURATION_SECONDS);
  const waits = new HistogramsByLabels(QUEUE_SECONDS);
  registerTotals(registry, named, readTotals, ({ factory, name }) => durations.remove(factory, name));
  return {
    onClaimed: ({ factory, startedAt }, queuedAt) => {
      if (startedAt !== null) waits.observe({ factory }, (startedAt - queuedAt) / 1000);
    },
    onEnded: ({ factory, automation, startedAt }, _result, at) => {
      if (startedAt === null) return;
      durations.observe({ factory, automation: named.labelOf(factory, automation) }, (at - startedAt) / 1000);
    },
    forgetFactory: (factory) => {
      durations.removeFactory(factory);
      waits.removeFactory(factory);
      named.releaseFactory(factory);
    },
    renderHistograms: () =>
      renderHistograms(
        'dockbell_run_duration_seconds',
        'Duration of the attempts of runs, from claim to end, by automation.',
        durations.list(),
      ) +
      renderHistograms(
        'dockbell_run_queue_seconds',
        'Time that attempts of runs were queued before they were claimed, by factory.',
        waits.list(),
      ),
  };
}

/** Histograms with the same buckets. */
class HistogramsByLabels {
  readonly #bounds: readonly number[];
  readonly #factories = new Map<string, Map<string, LabelledHistogram>>();

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** The clock of the machine can step back, so a value can be negative. */
  observe(labels: { factory: string; automation?: string }, seconds: number): void {
    const ofFactory = findOrAdd(this.#factories, labels.factory, () => new Map<string, LabelledHistogram>());
    const { histogram } = findOrAdd(ofFactory, labels.automation ?? '', () => ({
      labels: formatLabels(labels),
      histogram: new Histogram(this.#bounds),
    }));
    histogram.observe(Math.max(0, seconds));
  }

  remove(factory: string, automation: string): void {
    this.#factories.get(factory)?.delete(automation);
  }

  removeFactory(factory: string): void {
    this.#factories.delete(factory);
  }

  list(): LabelledHistogram[] {
    return [...this.#factories.values()].flatMap((ofFactory) => [...ofFactory.values()]);
  }
}

type Ended = RunTotals['ended'];

/** The runs of an automation, or of all automations of a factory that have no series under their names. */
interface ShownTotals {
  factory: string;
  label: string;
  ended: Ended;
  /** `null` for several automations. */
  recentFailed: number | null;
}

/** The totals are stored, so a restart does not reset them, except those of `OTHER`. */
function registerTotals(
  registry: Registry,
  named: NamedSeries,
  readTotals: () => Promise<RunTotals[] | null>,
  onReleased: (automation: { factory: string; name: string }) => void,
): void {
  const others = new OtherTotals();
  const readShown = shareReads(async () => {
    const totals = await readTotals();
    if (totals === null) return [];
    releaseDeleted(named, totals).forEach(onReleased);
    return groupByLabel(totals, named, others);
  });
  new Counter({
    name: 'dockbell_runs_total',
    help: 'Ended runs by automation and state.',
    labelNames: ['factory', 'automation', 'state'],
    registers: [registry],
    async collect() {
      const shown = await readShown();
      this.reset();
      for (const { factory, label: automation, ended } of shown) {
        for (const [state, count] of Object.entries(ended)) this.inc({ factory, automation, state }, count);
      }
    },
  });
  new Gauge({
    name: 'dockbell_recent_failed_runs',
    help: `Failed runs among the last ${RECENT_RUNS} of an automation.`,
    labelNames: ['factory', 'automation'],
    registers: [registry],
    async collect() {
      const shown = await readShown();
      this.reset();
      for (const { factory, label: automation, recentFailed } of shown) {
        if (recentFailed !== null) this.set({ factory, automation }, recentFailed);
      }
    },
  });
}

function releaseDeleted(named: NamedSeries, totals: readonly RunTotals[]): { factory: string; name: string }[] {
  const existing = new Set(totals.map(({ factory, automation }) => `${factory}/${automation}`));
  return named.releaseExcept((factory, name) => existing.has(`${factory}/${name}`));
}

function groupByLabel(totals: readonly RunTotals[], named: NamedSeries, others: OtherTotals): ShownTotals[] {
  const shown: ShownTotals[] = [];
  const sums = new Map<string, Ended>();
  for (const { factory, automation, ended, recentFailed } of totals) {
    const label = named.labelOf(factory, automation);
    if (label === OTHER) addTo(findOrAdd(sums, factory, noRuns), ended);
    else shown.push({ factory, label, ended, recentFailed });
  }
  for (const [factory, sum] of sums)
    shown.push({ factory, label: OTHER, ended: others.follow(factory, sum), recentFailed: null });
  return shown;
}

/**
 * The sum of several automations falls when one of them is deleted or gets a name, which would look like a reset. So only
 * increases since the start of the daemon are shown.
 */
class OtherTotals {
  readonly #byFactory = new Map<string, { last: Ended; shown: Ended }>();

  follow(factory: string, sum: Ended): Ended {
    const followed = findOrAdd(this.#byFactory, factory, () => ({ last: sum, shown: noRuns() }));
    addTo(followed.shown, subtract(sum, followed.last));
    followed.last = sum;
    return followed.shown;
  }
}

function noRuns(): Ended {
  return { succeeded: 0, failed: 0, cancelled: 0 };
}

function addTo(sum: Ended, more: Ended): void {
  sum.succeeded += more.succeeded;
  sum.failed += more.failed;
  sum.cancelled += more.cancelled;
}

function subtract(sum: Ended, last: Ended): Ended {
  return {
    succeeded: Math.max(0, sum.succeeded - last.succeeded),
    failed: Math.max(0, sum.failed - last.failed),
    cancelled: Math.max(0, sum.cancelled - last.cancelled),
  };
}
