// The request of an operation as a curl command, with the examples of the OpenAPI document.

/** Answers that are files, and the names under which the command stores them. */
const FILES = { 'application/x-tar': 'backup.tar' };

/**
 * @param operation with `method` and `path` as in the document
 * @returns a command for a shell that has the URL of the admin listener in DOCKBELL_URL and a token in DOCKBELL_TOKEN
 */
export function renderCurl({ method, path, parameters = [], requestBody, responses, security }) {
  const types = Object.values(responses).flatMap(({ content = {} }) => Object.keys(content));
  const file = types.map((type) => FILES[type]).find(Boolean);
  const options = [
    security?.length === 0 ? null : '-H "Authorization: Bearer $DOCKBELL_TOKEN"',
    requestBody === undefined ? null : `--json ${quote(JSON.stringify(exampleOf(requestBody)))}`,
    types.includes('text/event-stream') ? '--no-buffer' : null,
    file === undefined ? null : `--output ${file}`,
  ];
  // curl sends GET without a body and POST with one, if no method is named.
  const usual = requestBody === undefined ? 'get' : 'post';
  const named = method === usual ? '' : ` -X ${method.toUpperCase()}`;
  return [`curl${named} "$DOCKBELL_URL${fillIn(path, parameters)}"`, ...options.filter(Boolean)].join(' \\\n  ');
}

function fillIn(path, parameters) {
  const required = parameters.filter((parameter) => parameter.required);
  const filled = required
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(example)), path);
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }) => `${name}=${encodeURIComponent(example)}`);
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

function exampleOf({ content }) {
  const [{ examples }] = Object.values(content);
  return Object.values(examples)[0].value;
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
