/** The OpenAPI document with the shared answers and headers in each operation, where it has references to components. */
export function inlineAnswers(document) {
  const find = (value) => {
    const [, kind, name] = /^#\/components\/(responses|headers)\/(.+)$/.exec(value.$ref ?? '') ?? [];
    return kind === undefined ? value : document.components[kind][name];
  };
  const inlineHeaders = ({ headers, ...answer }) =>
    headers === undefined ? answer : { ...answer, headers: mapValues(headers, find) };
  const inline = (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, (answer) => inlineHeaders(find(answer))),
  });
  return { ...document, paths: mapValues(document.paths, (operations) => mapValues(operations, inline)) };
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
