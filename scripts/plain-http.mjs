import http from 'node:http';

const ID = '\0plain-http';

/**
 * Plugin of Vite that replaces `import … from 'node:http'`. An import reads every property of that module, and those of the
 * WebSocket API load a second HTTP client: 35 ms of processor time in each process, for classes that nothing uses.
 */
export function importPlainHttp() {
  return {
    name: 'plain-http',
    enforce: 'pre',
    resolveId: (id, _importer, { kind }) => (id === 'node:http' && kind !== 'require-call' ? ID : null),
    load: (id) => (id === ID ? renderModule() : null),
  };
}

/** A module with everything of `node:http` that is not computed when it is read. */
function renderModule() {
  const names = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([, descriptor]) => 'value' in descriptor)
    .map(([name]) => name);
  return `const http = process.getBuiltinModule('node:http');
export const { ${names.join(', ')} } = http;
export default http;
`;
}
