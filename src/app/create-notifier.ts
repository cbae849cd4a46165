import type { Config, FactoryConfig } from '../config/config.ts';
import { scheduleCall } from '../core/time/schedule.ts';
import { readPackageVersion } from '../files/package-version.ts';
import { Notifier } from '../notify/notifier.ts';
import type { NotifyTarget } from '../notify/notify-target.ts';
import { postOverHttp } from '../notify/post-notice.ts';
import type { Foundation } from './open-foundation.ts';

/** What tells the targets of all configured factories; it does nothing before its start. */
export function createNotifier({ config, storage, secrets, metrics, ids, logger, ...clocks }: Foundation): Notifier {
  return new Notifier({
    ...{ secrets, metrics, ids, logger, schedule: scheduleCall, post: postOverHttp },
    // A notice that is due in a minute must not wait for a year because the clock was set back.
    clock: clocks.steadyClock,
    userAgent: `dockbell/${readPackageVersion()}`,
    targets: collectTargets(config),
    inventory: storage.inventory,
    queue: storage.noticeQueue,
  });
}

function collectTargets({ factories }: Config): Map<string, NotifyTarget[]> {
  const targetsOf = ({ notify, source }: FactoryConfig) =>
    notify.map((target) => ({ ...target, branch: source.type === 'repository' ? source.branch : 'main' }));
  return new Map(factories.map((factory) => [factory.name, targetsOf(factory)]));
}
