import type { Retention } from '../../domain/ports/operations.ts';
import { systemClock } from '../../domain/time/clock.ts';
import { RetentionTime } from '../../domain/time/retention-time.ts';
import { measureUptimeMs, SteadyClock } from '../../domain/time/steady-clock.ts';

/** The clocks for everything that expires. */
export async function openClocks(
  retention: Pick<Retention, 'lastMark'>,
): Promise<{ steadyClock: SteadyClock; retentionTime: RetentionTime }> {
  const mark = await retention.lastMark();
  const newestStoredMs = mark?.passedAtMs ?? null;
  const steadyClock = new SteadyClock({ clock: systemClock, uptimeMs: measureUptimeMs, newestStoredMs });
  return { steadyClock, retentionTime: new RetentionTime(mark, steadyClock.wallMs()) };
}
