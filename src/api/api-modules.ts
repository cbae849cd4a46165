import type { FastifyBaseLogger } from 'fastify';
import type { SignInMethod } from '../domain/access/audit.ts';
import type { PullRequestReader } from '../domain/applies/pull-request.ts';
import type { BuildIdentity } from '../domain/build-identity.ts';
import type { IdSource, RandomBytes } from '../domain/ids.ts';
import type { FindClientAddress } from '../domain/network/client-address.ts';
import type { FactoryControl, ReconcileControl } from '../domain/ports/definitions.ts';
import type { BackfillControl, CaptureControl, DiagnoseDelivery } from '../domain/ports/delivery-control.ts';
import type { UnloggedCounts } from '../domain/ports/delivery-log.ts';
import type { EventFeed } from '../domain/ports/event-feed.ts';
import type { RunLogReader } from '../domain/ports/executor.ts';
import type { AnswerStore } from '../domain/ports/idempotency.ts';
import type { InventoryReader } from '../domain/ports/inventory.ts';
import type { AlertControl } from '../domain/ports/messages.ts';
import type { SignInOutcome } from '../domain/ports/metrics.ts';
import type { BackupControl, Doctor, MasterKeyControl, ReloadControl } from '../domain/ports/operations.ts';
import type { DrainControl, PauseControl } from '../domain/ports/pauses.ts';
import type { ReplayControl } from '../domain/ports/replays.ts';
import type { ReplicaGroup } from '../domain/ports/replicas.ts';
import type { RunControl } from '../domain/ports/run-control.ts';
import type { RunArtifacts } from '../domain/ports/run-files.ts';
import type { SecretStore } from '../domain/ports/secret-store.ts';
import type { Storage } from '../domain/ports/storage.ts';
import type { WebhookConnector } from '../domain/ports/webhook-connector.ts';
import type { WorkerControl } from '../domain/ports/workers.ts';
import type { Clock } from '../domain/time/clock.ts';
import type { StoryParts } from '../operations/story/story-parts.ts';
import type { FactoryEditor } from '../reconcile/edit/factory-editor.ts';
import type { InspectionThreads } from '../reconcile/inspection/create-inspector.ts';
import type { FailedAttempts } from './auth/failed-attempts.ts';
import type { PasswordAttempts } from './auth/password-attempts.ts';
import type { Passwords } from './auth/passwords.ts';
import type { FindSource } from './factories/factory-source.ts';
import type { OpenIdSignIn } from './openid/sign-in-oidc.ts';
import type { HealthCheck } from './operation/operation-routes.ts';
import type { SecretRouteParts } from './secrets/secret-routes.ts';
import type { SendTestDelivery } from './webhooks/send-test-delivery.ts';

/** What the configuration says about the admin listener, and where it is reached. */
export interface ApiSettings {
  /** Where browsers reach the admin listener, without a slash at its end. Known only once it listens. */
  adminUrl(): string;
  /** Where senders reach the ingress, without a slash at its end. Known only once it listens. */
  baseUrl(): string;
  findSource: FindSource;
  sessionIdleMs: number;
  sessionLifetimeMs: number;
  /** May `/metrics` be read without a token? */
  openMetrics: boolean;
  allowedHosts: readonly string[];
  trustedProxies: readonly string[];
  findClientAddress: FindClientAddress;
  /** The folder of the built dashboard. */
  dashboardDir: string;
  /** The folder of the built documentation. */
  docsDir: string;
  build: BuildIdentity;
}

/** The modules of a daemon that the management API shows and controls. */
export interface ApiModules {
  settings: ApiSettings;
  storage: Storage;
  /** What is applied, with the conditions of this moment. */
  inventory: InventoryReader;
  secrets: SecretStore;
  reconcile: ReconcileControl;
  factories: FactoryControl;
  editor: FactoryEditor;
  inspection: Pick<InspectionThreads, 'planPreviewer' | 'backtester' | 'inspector'>;
  diagnosis: { diagnose: DiagnoseDelivery } & Pick<SecretRouteParts, 'diagnoseUpload'> & Pick<StoryParts, 'conclude'>;
  ingress: {
    captures: CaptureControl;
    replays: ReplayControl;
    unloggedCounts: Pick<UnloggedCounts, 'list'>;
    sendTestDelivery: SendTestDelivery;
    backfill: BackfillControl;
    connector: WebhookConnector;
  };
  runs: {
    control: RunControl;
    workers: WorkerControl;
    drain: DrainControl;
    pauses: PauseControl;
    logs: RunLogReader;
    artifacts: RunArtifacts;
  };
  events: EventFeed;
  reload: ReloadControl['reload'];
  operation: {
    health: HealthCheck;
    /** The metrics in the Prometheus text format. */
    renderMetrics(): Promise<string>;
    countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
    backups: BackupControl;
    doctor: Doctor;
  };
  signIn: {
    passwords: Passwords;
    passwordAttempts: PasswordAttempts;
    /** Failed attempts to authenticate, by client address. */
    failedAttempts: FailedAttempts;
    /** `null` if no OpenID provider is configured. */
    openId: OpenIdSignIn | null;
  };
  alerts: AlertControl;
  pullRequests: PullRequestReader;
  group: ReplicaGroup;
  answers: AnswerStore;
  masterKey: MasterKeyControl;
  base: { clock: Clock; ids: IdSource; randomBytes: RandomBytes; logger: FastifyBaseLogger };
}
