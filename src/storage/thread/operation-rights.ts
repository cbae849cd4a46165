import type { Storage } from '../../domain/ports/storage.ts';

/** Which daemon performs an operation if several share the database, and why this is correct. */
type Right =
  /** Any daemon: the operation changes nothing. PostgreSQL runs it in a transaction that cannot write. */
  | 'reads'
  /** Only the leader. The transaction fails if another daemon leads when it commits. */
  | 'leads'
  /** Any daemon for an attempt of the machine that the request names, which is its own. For others, as `leads`. */
  | 'executes'
  /** Any daemon: the operation only adds rows and counts. Unique indexes decide what exists already. */
  | 'adds'
  /** Any daemon: the transaction has no effect unless the state is the one that the call expects, for example an attempt. */
  | 'compares'
  /**
   * The daemon that answers a request of the management API, which is the leader. The transaction checks what it depends on, so
   * it may end after the term of the leader: the request was allowed.
   */
  | 'manages';

type Rights = { readonly [Port in keyof Storage]: { readonly [Operation in keyof Storage[Port]]: Right } };

/** All operations of a storage. A missing one is a type error. */
export const OPERATION_RIGHTS: Rights = {
  deliveryLog: { record: 'adds' },
  deliveryReader: {
    list: 'reads',
    get: 'reads',
    payload: 'reads',
    form: 'reads',
    evaluation: 'reads',
    listeners: 'reads',
  },
  storedPayloads: { keys: 'reads', read: 'reads' },
  replays: {
    span: 'reads',
    count: 'reads',
    read: 'reads',
    insert: 'leads',
    get: 'reads',
    list: 'reads',
    open: 'reads',
    advance: 'compares',
    end: 'leads',
  },
  schedules: { sync: 'leads', advance: 'compares' },
  activityReader: { deliveries: 'reads', runs: 'reads' },
  handshakeLog: { append: 'adds', list: 'reads' },
  unloggedCounts: { add: 'adds', list: 'reads' },
  idFinder: { find: 'reads' },
  inventory: {
    register: 'leads',
    load: 'reads',
    apply: 'leads',
    recordAttempt: 'leads',
    renewAttempt: 'leads',
    pinSecret: 'compares',
    status: 'reads',
    lastReconciliation: 'reads',
  },
  inventoryReader: {
    factories: 'reads',
    head: 'reads',
    counts: 'reads',
    webhooks: 'reads',
    deletedWebhooks: 'reads',
    webhook: 'reads',
    webhookNames: 'reads',
    automations: 'reads',
    automation: 'reads',
    unusableSecrets: 'reads',
    failedAutomations: 'reads',
    failing: 'reads',
    runTotals: 'reads',
  },
  factoryNames: { forget: 'leads', rename: 'leads', folderChanges: 'reads', noteFolderChange: 'leads' },
  definitionHistory: {
    changes: 'reads',
    ofRevision: 'reads',
    revisions: 'reads',
    named: 'reads',
    automationNames: 'reads',
    commit: 'reads',
  },
  keptAnswers: { find: 'reads', keep: 'manages', forget: 'manages' },
  liveDefinitions: { head: 'reads', read: 'reads', commit: 'leads' },
  runQueue: {
    claim: 'executes',
    admit: 'leads',
    finish: 'executes',
    release: 'executes',
    retryFailed: 'executes',
    noteLogOffset: 'executes',
    cancelQueued: 'compares',
    retry: 'leads',
    running: 'reads',
    accept: 'leads',
    accepted: 'reads',
    noteProgress: 'leads',
  },
  runReader: {
    list: 'reads',
    count: 'reads',
    get: 'reads',
    input: 'reads',
    agentFiles: 'reads',
    attempts: 'reads',
    queuePositions: 'reads',
    automationBudgets: 'reads',
    factoryStarts: 'reads',
    oldestQueued: 'reads',
  },
  pauses: { list: 'reads', pause: 'leads', resume: 'leads' },
  reconciliationReader: { list: 'reads', get: 'reads' },
  noticeQueue: {
    put: 'leads',
    skip: 'leads',
    find: 'reads',
    renew: 'leads',
    ofRun: 'reads',
    next: 'reads',
    newest: 'reads',
    postpone: 'leads',
    settle: 'leads',
    retryNow: 'leads',
  },
  alertStore: { active: 'reads', change: 'leads', acknowledge: 'leads', get: 'reads', list: 'reads', prune: 'leads' },
  alertMessages: { nextDueAt: 'reads', compose: 'leads', next: 'reads', postpone: 'leads', remove: 'leads' },
  alertReader: {
    expectedWebhooks: 'reads',
    unacceptedRequests: 'reads',
    failedAutomations: 'reads',
    guardedAutomations: 'reads',
    deadLetters: 'reads',
    oldestWaiting: 'reads',
    expiringTokens: 'reads',
  },
  sealedSecrets: {
    keyCheck: 'reads',
    setKeyCheck: 'compares',
    lastVersion: 'reads',
    insert: 'manages',
    setScope: 'manages',
    newest: 'reads',
    scopes: 'reads',
    get: 'reads',
    versions: 'reads',
    list: 'reads',
    find: 'reads',
    delete: 'manages',
    rotation: 'reads',
    beginRotation: 'manages',
    endRotation: 'manages',
    sealedElsewhere: 'reads',
    replaceSealed: 'compares',
  },
  runTokens: { insert: 'adds', findByHash: 'reads' },
  tokens: { insert: 'manages', findByHash: 'reads', touch: 'manages', list: 'reads', revoke: 'manages' },
  users: {
    insertLocal: 'manages',
    enterOidc: 'manages',
    get: 'reads',
    list: 'reads',
    findLocal: 'reads',
    change: 'manages',
    delete: 'manages',
    noteSignIn: 'manages',
  },
  sessions: {
    insert: 'manages',
    find: 'reads',
    touch: 'manages',
    end: 'manages',
    listOf: 'reads',
    endAll: 'manages',
  },
  loginLinks: { insert: 'manages', take: 'manages' },
  auditLog: { begin: 'manages', append: 'manages', list: 'reads' },
  retention: { prune: 'leads', lastMark: 'reads', noteMark: 'leads', reclaim: 'reads' },
};

/** Operations of these are no change of a request: they record it. */
const RECORDS: ReadonlySet<string> = new Set<keyof Storage>(['auditLog', 'keptAnswers']);

/** Is the operation a change that a request of the management API may make? Then its record is stored with it. */
export function isChange(port: string, operation: string): boolean {
  return !RECORDS.has(port) && port in OPERATION_RIGHTS && rightOf(port as keyof Storage, operation) !== 'reads';
}

/** The right of one operation. */
export function rightOf(port: keyof Storage, operation: string): Right {
  return (OPERATION_RIGHTS[port] as Readonly<Record<string, Right>>)[operation]!;
}
