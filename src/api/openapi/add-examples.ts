import { BODY_EXAMPLES, COMPONENT_EXAMPLES, PARAMETER_EXAMPLES } from './examples.ts';

type Content = Record<string, { schema?: object; [key: string]: unknown }>;
type Message = { content?: Content };
type Parameter = { name: string; in: string; example?: unknown };
export type Operation = {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: Message;
  responses?: Record<string, Message>;
};

/** What adding examples reads of an OpenAPI document. */
export interface ApiDocument {
  components: { schemas: Record<string, object> };
  paths: Record<string, Record<string, Operation>>;
}

/**
 * The document with examples: of each named schema, of each request body, of each list in an answer, and of the
 * parameters that a request must have. An answer that is one named object has the examples of its schema.
 */
export function addExamples<T extends ApiDocument>(document: T): T {
  const examples: Record<string, readonly unknown[]> = COMPONENT_EXAMPLES;
  const schemas = mapValues(document.components.schemas, (schema, name) =>
    examples[name] === undefined ? schema : { ...schema, examples: examples[name] },
  );
  const paths = mapValues(document.paths, (operations, path) =>
    mapValues(operations, (operation) => addToOperation(operation, path)),
  );
  return { ...document, components: { ...document.components, schemas }, paths };
}

function addToOperation(operation: Operation, path: string): Operation {
  const { operationId = '', parameters, requestBody, responses = {} } = operation;
  const examples = BODY_EXAMPLES[operationId];
  return {
    ...operation,
    ...(parameters === undefined ? {} : { parameters: parameters.map((each) => addToParameter(each, path)) }),
    ...(requestBody === undefined || examples === undefined
      ? {}
      : { requestBody: mapContent(requestBody, (media) => ({ ...media, examples })) }),
    responses: mapValues(responses, (response) => mapContent(response, addListExample)),
  };
}

function addToParameter(parameter: Parameter, path: string): Parameter {
  const example = PARAMETER_EXAMPLES[keyOf(parameter, path)];
  return example === undefined ? parameter : { ...parameter, example };
}

/** `runs/{id}` for a path parameter, `ids?prefix` for a query parameter of `/api/v1/ids`. */
function keyOf({ name, in: place }: Parameter, path: string): string {
  const segments = path.split('/');
  const at = segments.indexOf(`{${name}}`);
  return place === 'query' ? `${segments.at(-1)}?${name}` : segments.slice(at - 1, at + 1).join('/');
}

function mapContent<T extends Message>(message: T, change: (media: Content[string]) => Content[string]): T {
  return message.content === undefined ? message : { ...message, content: mapValues(message.content, change) };
}

/** A list has the first example of its items as its only row. */
function addListExample(media: Content[string]): Content[string] {
  const { properties } = (media.schema ?? {}) as {
    properties?: { data?: { items?: { $ref?: string } }; next_cursor?: object };
  };
  const name = /^#\/components\/schemas\/(\w+)$/.exec(properties?.data?.items?.$ref ?? '')?.[1];
  if (name === undefined) return media;
  const [row] = COMPONENT_EXAMPLES[name as keyof typeof COMPONENT_EXAMPLES];
  const value = { data: [row], ...(properties?.next_cursor === undefined ? {} : { next_cursor: null }) };
  return { ...media, examples: { list: { summary: 'A list with one row', value } } };
}

/** A record with the same keys. */
export function mapValues<V, W>(record: Record<string, V>, change: (value: V, key: string) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
