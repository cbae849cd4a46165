import type { Config } from '../../config/config.ts';
import type { IdSource } from '../../domain/ids.ts';
import type { ClientAddresses } from '../../domain/network/client-address.ts';
import type { Doctor } from '../../domain/ports/operations.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';
import { systemClock } from '../../domain/time/clock.ts';
import type { UrlProbes } from '../../ingress/log/url-probes.ts';
import type { DataPaths } from '../../platform/data-dir/data-paths.ts';
import type { LiveConditions } from '../health/live-conditions.ts';
import { probeBaseUrl } from './checks/base-url.ts';
import { examine } from './examine.ts';

export interface DoctorParts {
  config: Config;
  paths: DataPaths;
  env: Environment;
  conditions: Pick<LiveConditions, 'ofDaemon'>;
  unreadHops: ClientAddresses['unread'];
  urlProbes: UrlProbes;
  ids: Pick<IdSource, 'webhookUid'>;
  /** Where the ingress listens. */
  ingressUrl(): string;
}

/** Examines this daemon. */
export function createDoctor(parts: DoctorParts): Doctor {
  const { config, paths, env, conditions, unreadHops, urlProbes, ids, ingressUrl } = parts;
  const running = {
    get baseUrl() {
      return config.baseUrl ?? ingressUrl();
    },
    conditions: () => conditions.ofDaemon(),
    unreadHops,
    expectProbe: () => expectProbe(urlProbes, ids),
  };
  return { examine: () => examine({ config, paths, env, nowMs: systemClock.wallMs(), running }) };
}

/** Sends a request through `baseUrl`, as the check of the doctor does. */
export function createUrlProbe({
  config,
  urlProbes,
  ids,
  ingressUrl,
}: Omit<DoctorParts, 'paths' | 'env' | 'conditions' | 'unreadHops'>) {
  return async (): Promise<string | null> => {
    const baseUrl = config.baseUrl ?? ingressUrl();
    const symptom = await probeBaseUrl({ baseUrl, expectProbe: () => expectProbe(urlProbes, ids) });
    return symptom?.message ?? null;
  };
}

function expectProbe(urlProbes: DoctorParts['urlProbes'], ids: DoctorParts['ids']) {
  const uid = ids.webhookUid();
  urlProbes.expect(uid);
  return { uid, wasSeen: () => urlProbes.wasSeen(uid), end: () => urlProbes.end(uid) };
}
