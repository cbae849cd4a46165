import type { Config } from '../config/config.ts';
import type { ClientAddresses } from '../core/client-address.ts';
import type { IdSource } from '../core/ids.ts';
import type { Doctor } from '../core/ports/doctor.ts';
import type { Environment } from '../core/reserved-variables.ts';
import { systemClock } from '../core/time/clock.ts';
import type { DataPaths } from '../data-dir/data-paths.ts';
import { probeBaseUrl } from '../doctor/checks/base-url.ts';
import { examine } from '../doctor/examine.ts';
import type { LiveConditions } from '../health/live-conditions.ts';
import type { Ingress } from './create-ingress.ts';

export interface DoctorParts {
  config: Config;
  paths: DataPaths;
  env: Environment;
  conditions: Pick<LiveConditions, 'ofDaemon'>;
  unreadHops: ClientAddresses['unread'];
  urlProbes: Ingress['urlProbes'];
  ids: Pick<IdSource, 'webhookUid'>;
  /** Where the ingress listens. */
  ingressUrl: string;
}

/** Examines this daemon. */
export function createDoctor(parts: DoctorParts): Doctor {
  const { config, paths, env, conditions, unreadHops, urlProbes, ids, ingressUrl } = parts;
  const running = {
    baseUrl: config.baseUrl ?? ingressUrl,
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
    const baseUrl = config.baseUrl ?? ingressUrl;
    const symptom = await probeBaseUrl({ baseUrl, expectProbe: () => expectProbe(urlProbes, ids) });
    return symptom?.message ?? null;
  };
}

function expectProbe(urlProbes: DoctorParts['urlProbes'], ids: DoctorParts['ids']) {
  const uid = ids.webhookUid();
  urlProbes.expect(uid);
  return { uid, wasSeen: () => urlProbes.wasSeen(uid), end: () => urlProbes.end(uid) };
}
