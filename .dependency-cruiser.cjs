// The arrows of docs/architecture.md. A folder imports `core` and what its row lists, nothing else of ours.
const arrows = {
  core: [],
  'api-types': [],
  filter: ['core'],
  signature: ['core'],
  definitions: ['core', 'filter', 'signature', 'files'],
  samples: ['core', 'filter', 'definitions'],
  plan: ['core', 'filter'],
  registry: ['core', 'filter', 'signature'],
  ingress: ['core', 'registry', 'signature'],
  reconcile: ['core', 'definitions', 'plan'],
  edit: ['core', 'definitions', 'signature', 'reconcile'],
  run: ['core'],
  sender: ['core', 'signature'],
  notify: ['core', 'signature'],
  events: ['core'],
  files: [],
  source: ['core', 'files'],
  secrets: ['core', 'files'],
  storage: ['core'],
  executors: ['core', 'files'],
  observability: ['core'],
  config: ['core'],
  api: ['core', 'definitions', 'edit', 'filter', 'sender', 'run', 'reconcile'],
  dashboard: ['api-types'],
  cli: [
    'core',
    'filter',
    'definitions',
    'samples',
    'signature',
    'sender',
    'config',
    'files',
    'source',
    'app',
    'api-types',
  ],
};

const own = Object.entries(arrows).map(([folder, may]) => ({
  name: `${folder}-imports-only-${may.join('-') || 'nothing'}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...may].join('|')})/` },
}));

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^src/', pathNot: '\\.test\\.ts$' }, to: {} },
    {
      name: 'only-http-knows-node-http',
      severity: 'error',
      from: { path: '^src/ingress/', pathNot: '^src/ingress/transport/http(\\.test)?\\.ts$' },
      to: { path: '^(node:)?https?$' },
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
