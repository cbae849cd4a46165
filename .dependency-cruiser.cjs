// The rooms of docs/architecture.md. A room imports from those that its row lists, and from no other.
const arrows = {
  domain: [],
  platform: ['domain'],
  definitions: ['domain', 'platform'],
  config: ['domain', 'platform', 'definitions'],
  client: ['domain'],
  storage: ['domain', 'platform'],
  ingress: ['domain', 'platform', 'definitions', 'config'],
  outbound: ['domain', 'platform', 'definitions', 'config'],
  reconcile: ['domain', 'platform', 'definitions', 'config', 'client', 'storage', 'ingress', 'outbound'],
  runs: ['domain', 'platform', 'definitions', 'config', 'client', 'storage', 'outbound', 'reconcile'],
  operations: ['domain', 'platform', 'definitions', 'config', 'storage', 'ingress', 'outbound', 'reconcile', 'runs'],
  api: ['domain', 'platform', 'definitions', 'config', 'ingress', 'outbound', 'reconcile', 'runs', 'operations'],
  app: [
    'domain',
    'platform',
    'definitions',
    'config',
    'storage',
    'ingress',
    'outbound',
    'reconcile',
    'runs',
    'operations',
    'api',
  ],
  cli: ['domain', 'platform', 'definitions', 'config', 'client', 'ingress', 'reconcile', 'runs', 'operations', 'app'],
  dashboard: ['domain', 'client'],
};

const own = Object.entries(arrows).map(([room, may]) => ({
  name: `${room}-imports-only-${may.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^src/', pathNot: `^src/(${[room, ...may].join('|')})/` },
}));

/** Texts that the daemon, the command line and the dashboard share: pure, and run in a browser. */
const WORDS = '^src/domain/words/';

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/', pathNot: '\\.test\\.ts$' }, to: {} },
    {
      name: 'only-http-knows-node-http',
      severity: 'error',
      from: { path: '^src/ingress/', pathNot: '^src/ingress/transport/http(-request)?(\\.test)?\\.ts$' },
      to: { path: '^(node:)?https?$' },
    },
    {
      name: 'queries-know-no-database',
      severity: 'error',
      from: { path: '^src/storage/sql/' },
      to: { path: '^src/storage/(sqlite|postgres)/|(^|/)(better-sqlite3|pg)(/|$)' },
    },
    {
      name: 'databases-know-no-other',
      severity: 'error',
      from: { path: '^src/storage/postgres/' },
      to: { path: '^src/storage/sqlite/|(^|/)better-sqlite3(/|$)' },
    },
    { name: 'words-import-nothing', severity: 'error', from: { path: WORDS }, to: { path: '^src/', pathNot: WORDS } },
    {
      name: 'browsers-load-only-words-of-the-domain',
      severity: 'error',
      from: { path: '^src/(client|dashboard)/' },
      to: { path: '^src/domain/', pathNot: WORDS },
    },
    {
      name: 'the-domain-touches-no-system',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { path: '^(node:)?(fs|http|https|child_process|worker_threads)(/|$)' },
    },
    {
      name: 'definitions-load-no-storage-and-no-native-part',
      severity: 'error',
      from: { path: '^src/(definitions|reconcile/plan)/' },
      to: { path: '(^|/)(better-sqlite3|pg)(/|$)|^src/storage/', reachable: true },
    },
    ...own,
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.test\\.tsx?$' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js'] },
  },
};
