// The arrows of docs/architecture.md. A folder imports what its row lists and `words`, nothing else of ours.
const arrows = {
  core: [],
  words: [],
  'api-types': [],
  client: ['api-types'],
  filter: ['core'],
  signature: ['core'],
  yaml: ['core', 'files'],
  definitions: ['core', 'filter', 'signature', 'files', 'yaml'],
  samples: ['core', 'filter', 'definitions'],
  plan: ['core', 'filter'],
  registry: ['core', 'filter', 'signature'],
  ingress: ['core', 'registry', 'signature'],
  reconcile: ['core', 'definitions', 'plan', 'yaml'],
  edit: ['core', 'definitions', 'signature', 'reconcile'],
  run: ['core'],
  sender: ['core', 'signature'],
  notify: ['core', 'signature'],
  events: ['core'],
  files: [],
  threads: ['core'],
  processes: ['core'],
  source: ['core', 'files', 'processes'],
  secrets: ['core', 'files'],
  storage: ['core', 'threads'],
  executors: ['core', 'files', 'processes'],
  observability: ['core'],
  config: ['core', 'executors', 'yaml'],
  inspection: ['core', 'definitions', 'filter', 'plan', 'reconcile', 'threads'],
  diagnosis: ['core', 'ingress', 'signature', 'threads'],
  health: ['core', 'reconcile', 'registry', 'config', 'files', 'notify', 'run', 'storage', 'observability'],
  housekeeping: ['core', 'executors', 'health', 'ingress'],
  'data-dir': ['core', 'files'],
  maintenance: ['core', 'api', 'data-dir', 'files', 'secrets', 'storage'],
  demo: ['core', 'app', 'data-dir', 'executors', 'files', 'sender', 'signature', 'source'],
  api: [
    'core',
    'definitions',
    'edit',
    'filter',
    'signature',
    'sender',
    'run',
    'reconcile',
    'inspection',
    'diagnosis',
    'yaml',
  ],
  dashboard: ['api-types', 'client'],
  cli: [
    'core',
    'filter',
    'definitions',
    'samples',
    'signature',
    'yaml',
    'sender',
    'config',
    'files',
    'source',
    'app',
    'demo',
    'maintenance',
    'api-types',
    'client',
  ],
};

/** `words` is for every folder that prints, parses or explains a text: for all except those that import nothing. */
function importsWords(folder) {
  return ['api-types', 'files'].includes(folder) ? '' : '|^src/words/';
}

const own = Object.entries(arrows).map(([folder, may]) => ({
  name: `${folder}-imports-only-${may.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...may].join('|')})/${importsWords(folder)}` },
}));

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
      // PostgreSQL is to use the same queries.
      name: 'queries-know-no-database',
      severity: 'error',
      from: { path: '^src/storage/sql/' },
      to: { path: '^src/storage/sqlite/|(^|/)better-sqlite3(/|$)' },
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
