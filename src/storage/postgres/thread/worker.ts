import { randomUUID } from 'node:crypto';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openMeasures } from '../../../domain/telemetry/write-measures.ts';
import { copyError, type Reply } from '../../../platform/threads/pending-calls.ts';
import type { RequestMessage } from '../../../platform/threads/worker-calls.ts';
import { performRequest } from '../../thread/perform-request.ts';
import {
  CLOSE,
  type ConnectMessage,
  type StorageReport,
  type StorageRequest,
  type WorkerSettings,
} from '../../thread/worker-protocol.ts';
import type { PostgresSettings, ReplicaSettings } from '../open-database.ts';
import { openPostgresStorage, type PostgresStorage } from '../postgres-storage.ts';
import { joinGroup, type Membership } from '../replicas/membership.ts';

/**
 * The storage thread: it composes and reads queries, so that the HTTP thread does not. Operations run at the same time, each on
 * a separate connection.
 */
const main = parentPort!;
const report = (message: StorageReport) => main.postMessage(message);

const opened = await open();
if (opened !== null) serve(opened.storage, opened.membership);

/** Reports a failure and returns `null`. The thread then exits, because it has no listeners. */
async function open(): Promise<{ storage: PostgresStorage; membership: Membership } | null> {
  try {
    const { measures, machine, runLeaseMs, ...settings } = workerData as WorkerSettings<
      PostgresSettings & ReplicaSettings
    >;
    const id = randomUUID();
    let membership: Membership | null = null;
    const member = { id, machine, epoch: () => membership?.epoch() ?? null };
    // The group is a part of the schema.
    const storage = await openPostgresStorage(settings, openMeasures(measures), member);
    try {
      membership = await joinGroup({
        url: settings.url,
        self: { id, machine, runLeaseMs },
        report: (group) => report({ group }),
        onDeposed: (error) => report({ broken: copyError(error) }),
      });
      report({ warnings: [], migration: storage.migration });
      return { storage, membership };
    } catch (error) {
      await storage.close();
      throw error;
    }
  } catch (error) {
    report({ openError: copyError(error) });
    return null;
  }
}
function serve(storage: PostgresStorage, membership: Membership): void {
  const connected = new Set<MessagePort>();
  const pending = new Set<Promise<void>>();

  main.on('message', (message: RequestMessage<StorageRequest> | ConnectMessage | typeof CLOSE) => {
    if (message === CLOSE) void close();
    else if ('connect' in message) connect(message.connect);
    else begin(message, main);
  });

  function connect(client: MessagePort): void {
    connected.add(client);
    client.on('close', () => connected.delete(client));
    client.on('message', (message: RequestMessage<StorageRequest>) => begin(message, client));
  }

  function begin(message: RequestMessage<StorageRequest>, client: MessagePort): void {
    const answering = answer(message, client).finally(() => pending.delete(answering));
    pending.add(answering);
  }

  async function answer({ id, request }: RequestMessage<StorageRequest>, client: MessagePort): Promise<void> {
    const reply = (message: Reply) => client.postMessage(message);
    try {
      reply({ id, value: await performRequest(storage, request) });
    } catch (error) {
      reply({ id, error: copyError(error) });
    }
  }

  async function close(): Promise<void> {
    while (pending.size > 0) await Promise.all(pending);
    await membership.leave();
    await storage.close();
    for (const client of connected) client.close();
    main.close();
  }
}
