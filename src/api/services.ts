import type { FastifyBaseLogger } from 'fastify';
import type { SignInMethod } from '../core/audit.ts';
import type { Delivery } from '../core/delivery.ts';
import type { IdSource, RandomBytes } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { PlanPreviewer } from '../core/plan-preview.ts';
import type { AuditLog } from '../core/ports/access/audit-log.ts';
import type { AnswerStore } from '../core/ports/access/idempotency.ts';
import type { LoginLinkTable } from '../core/ports/access/login-link-table.ts';
import type { SessionTable } from '../core/ports/access/session-table.ts';
import type { TokenTable } from '../core/ports/access/token-table.ts';
import type { UserTable } from '../core/ports/access/user-table.ts';
import type { InventoryReader, WebhookView } from '../core/ports/definitions/inventory.ts';
import type { ReconcileControl } from '../core/ports/definitions/reconciler.ts';
import type { ReconciliationReader } from '../core/ports/definitions/reconciliation-log.ts';
import type { ActivityReader } from '../core/ports/deliveries/activity-reader.ts';
import type { Backtester } from '../core/ports/deliveries/backtester.ts';
import type { CaptureControl } from '../core/ports/deliveries/capture-control.ts';
import type { DeliveryReader } from '../core/ports/deliveries/delivery-log.ts';
import type { HandshakeLog } from '../core/ports/deliveries/handshake-log.ts';
import type { ReplayControl } from '../core/ports/deliveries/replay-control.ts';
import type { EventFeed } from '../core/ports/event-feed.ts';
import type { IdFinder } from '../core/ports/id-finder.ts';
import type { SignInOutcome } from '../core/ports/metrics.ts';
import type { RunLogReader } from '../core/ports/runs/executor.ts';
import type { RunControl } from '../core/ports/runs/run-control.ts';
import type { RunReader } from '../core/ports/runs/run-queue.ts';
import type { WorkerControl } from '../core/ports/runs/worker-control.ts';
import type { SecretStore } from '../core/ports/secret-store.ts';
import type { Clock } from '../core/time/clock.ts';
import type { UploadedRequest } from '../diagnosis/diagnose-upload.ts';
import type { DeliveryDiagnosis } from '../diagnosis/try-mistakes.ts';
import type { FactoryEditor } from '../edit/factory-editor.ts';
import type { Inspector } from '../inspection/create-inspector.ts';
import type { SignatureSchemeFacts } from '../signature/schemes/describe-scheme.ts';
import type { FailedTries } from './auth/failed-tries.ts';
import type { PasswordTries } from './auth/password-tries.ts';
import type { Passwords } from './auth/passwords.ts';
import type { OpenIdSignIn } from './openid/sign-in-oidc.ts';

/** Where a factory's definition comes from, as the configuration says. */
export interface FactorySource {
  type: 'repository' | 'managed' | 'live';
  /** Credentials in it are removed before it is shown. `null` where the definition lives in no outside repository. */
  url: string | null;
  branch: string | null;
  /** Folder of the factory inside the repository. */
  path: string | null;
}

/** What the ingress answered to a test delivery. Header names are lowercase. */
export interface TestDeliveryAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Is the daemon fit to serve, and if not, why? Each problem is one readable sentence without secrets. */
export interface HealthCheck {
  ready(): Promise<{ ready: boolean; problems: string[]; warnings: string[] }>;
}

/** Everything the management API needs; filled in by the composition root. */
export interface AdminServices {
  inventory: InventoryReader;
  deliveries: DeliveryReader;
  inspector: Inspector;
  activity: ActivityReader;
  backtester: Backtester;
  replays: ReplayControl;
  events: EventFeed;
  handshakes: Pick<HandshakeLog, 'list'>;
  captures: CaptureControl;
  /** Tries the usual mistakes on what was captured of a rejected delivery, or judges by its reason alone. */
  diagnose(delivery: Delivery): Promise<DeliveryDiagnosis>;
  /** Tries the usual mistakes on a request with a secret that stays here. `too_many_requests` beyond its rate. */
  diagnoseUpload(request: UploadedRequest): Promise<DeliveryDiagnosis>;
  idFinder: IdFinder;
  runs: RunReader;
  runLogs: RunLogReader;
  runControl: RunControl;
  workers: WorkerControl;
  reconciliations: ReconciliationReader;
  reconcile: ReconcileControl;
  planPreviewer: PlanPreviewer;
  secrets: SecretStore;
  /** Edits of factories that the service hosts. */
  editor: FactoryEditor;
  tokens: TokenTable;
  auditLog: AuditLog;
  /** Counts a try to sign in. */
  countSignIn(method: SignInMethod, outcome: SignInOutcome): void;
  users: UserTable;
  /** `null` where no OpenID provider is configured. */
  openId: OpenIdSignIn | null;
  passwords: Passwords;
  passwordTries: PasswordTries;
  sessions: SessionTable;
  loginLinks: LoginLinkTable;
  /** How long a session lasts without being used, and however much it is used. */
  sessionIdleMs: number;
  sessionLifetimeMs: number;
  /** Failed tries to authenticate, by client address. */
  failedTries: FailedTries;
  /** The address where browsers reach the admin listener, without a slash at its end. Known only once it listens. */
  adminUrl(): string;
  /** Addresses and subnets of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  trustedProxies: readonly string[];
  /** For requests that are repeated under their idempotency key. */
  answers: AnswerStore;
  /** `null` for a factory that the configuration does not name any more. */
  factorySource(factory: string): FactorySource | null;
  /** Has the signature scheme of this webhook a place of its own that names the delivery? */
  schemeNamesDeliveries(webhook: Pick<WebhookView, 'signatureScheme' | 'signature'>): boolean;
  /** Posts to the daemon's own ingress as a real sender would, credential included. `null`: no delivery ID header is sent. */
  sendTestDelivery(webhook: WebhookView, body: Uint8Array, deliveryId: string | null): Promise<TestDeliveryAnswer>;
  health: HealthCheck;
  /** The metrics in the Prometheus text format. */
  renderMetrics(): Promise<string>;
  /** May `/metrics` be read without a token? */
  openMetrics: boolean;
  /** Names beside those of loopback that the `Host` header may hold, with or without a port. */
  allowedHosts: readonly string[];
  /** The public address of the ingress, without a slash at its end. Known only once it listens. */
  baseUrl(): string;
  /** The JSON Schemas that editors may ask for, by name. */
  schemas: ReadonlyMap<string, JsonObject>;
  /** The table of signature schemes, by name. */
  signatureSchemes: readonly SignatureSchemeFacts[];
  /** Where the built dashboard lies: `index.html` and `assets/`. */
  dashboardDir: string;
  /** Version of the program, for the OpenAPI document. */
  version: string;
  clock: Clock;
  ids: IdSource;
  randomBytes: RandomBytes;
  logger: FastifyBaseLogger;
}
