import { messageOf } from '../core/errors.ts';
import { handleDelivery } from '../ingress/handle-delivery.ts';
import type { IngressContext } from '../ingress/ingress-context.ts';
import { RateLimits } from '../ingress/limits.ts';
import { computeMaxConnections, readOpenFileLimit, warnOfLowFileLimit } from '../ingress/open-file-limit.ts';
import { Confirmations } from '../ingress/steps/confirmations.ts';
import { createClientAddressFinder } from '../ingress/transport/client-address.ts';
import { createIngressServer } from '../ingress/transport/http.ts';
import { createProbes } from '../ingress/transport/probes.ts';
import type { Engine } from './create-engine.ts';
import type { Lifetime } from './lifetime.ts';
import { bindServer, listen } from './listen.ts';
import type { Foundation } from './open-foundation.ts';

/** Requests under way get this long to be answered on a clean stop. */
const ANSWER_GRACE_MS = 5_000;

type IngressFoundation = Pick<Foundation, 'config' | 'logger' | 'clock' | 'ids' | 'metrics'>;
type IngressEngine = Pick<
  Engine,
  'registry' | 'recorder' | 'rejectionRows' | 'captures' | 'handshakeRows' | 'adoptSecret' | 'health'
> & { dispatcher: Pick<Engine['dispatcher'], 'wake'>; reconcilers: Pick<Engine['reconcilers'], 'onPush'> };

/** Opens the public listener; answers with its URL. On stop it answers what is in flight, then writes what waits. */
export async function openIngress(
  foundation: IngressFoundation,
  engine: IngressEngine,
  lifetime: Lifetime,
): Promise<string> {
  const { config, logger, clock, ids, metrics } = foundation;
  const { registry, recorder, rejectionRows, captures, handshakeRows, adoptSecret, dispatcher, reconcilers } = engine;
  const confirmations = new Confirmations();
  const context: IngressContext = {
    ...{ registry, recorder, rejectionRows, captures, handshakeRows, confirmations, adoptSecret, metrics, clock, ids },
    limits: new RateLimits(config.limits),
    maxBodyBytes: config.limits.bodyBytes,
    baseUrl: () => config.baseUrl ?? url,
    onRunsCreated: (factory) => dispatcher.wake(factory),
    onPush: (factory) => reconcilers.onPush(factory),
    onStorageTrouble: (error) => logger.error({ problem: messageOf(error) }, 'a delivery could not be stored'),
    onDefect: (error) => logger.error({ err: error }, 'delivery failed with an internal error'),
  };
  const openFileLimit = readOpenFileLimit();
  warnOfLowFileLimit(openFileLimit, logger);
  const ingress = createIngressServer({
    handle: (request) => handleDelivery(context, request),
    answerProbe: createProbes({
      isReady: async () => (await engine.health.ready()).ready,
      monotonicMs: () => clock.monotonicMs(),
    }),
    findClientAddress: createClientAddressFinder(config.trustedProxies),
    bounds: { maxConnections: computeMaxConnections(openFileLimit) },
  });
  // Known before the first request can ask for it: nothing is answered until it listens.
  const { server } = ingress;
  const url = await listen('ingress', config.ingress, server, (address) => bindServer(server, address));
  lifetime.defer(async () => {
    await ingress.close(ANSWER_GRACE_MS);
    await confirmations.stop();
    rejectionRows.flush(clock.monotonicMs(), true);
    handshakeRows.flush(clock.monotonicMs(), true);
    await recorder.drain();
  });
  return url;
}
