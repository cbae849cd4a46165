// The pages of the API reference: an overview, a page for each group of operations, and a page of all objects. They are
// Markdown that is rendered when the site is built, so no page loads a viewer or the OpenAPI document.
import { describeType, describeValue, linkToObject, listFields } from './describe-schema.mjs';
import { inlineAnswers } from './inline-answers.mjs';
import { renderCurl } from './render-curl.mjs';

const OBJECTS = 'What the operations of the management API return.';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * @param served the OpenAPI document
 * @returns `[{ name, title, about, text }]`, with the overview first; `name` is the file name without its extension
 */
export function renderApiPages(served) {
  const document = inlineAnswers(served);
  const groups = listGroups(document);
  return [
    { name: 'overview', title: 'API reference', about: 'All operations.', text: renderOverview(document, groups) },
    ...groups.map((group) => ({
      name: group.name,
      title: group.title,
      about: group.description,
      text: renderGroup(group),
    })),
    { name: 'objects', title: 'Objects', about: OBJECTS, text: renderObjects(document) },
  ];
}

/** The tags with their operations, in the order of the document. */
function listGroups({ tags, paths }) {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      ...item[method],
      method,
      path,
      request: `${method.toUpperCase()} ${path}`,
    })),
  );
  return tags.map(({ name, description }) => ({
    name: name.toLowerCase().replaceAll(' ', '-'),
    title: name,
    description,
    operations: operations.filter((operation) => operation.tags.includes(name)),
  }));
}

function renderOverview({ info, paths }, groups) {
  const lists = groups.map(({ name, title, description, operations }) => {
    const rows = operations.map((operation) => [
      `[${operation.summary}](${name}.md#${anchorOf(operation.summary)})`,
      `\`${operation.request}\``,
    ]);
    return `## ${title}\n\n${description}\n\n${table(['operation', 'request'], rows)}`;
  });
  return [
    '# API reference',
    `Every operation of the management API, with its parameters, bodies and objects. These pages are made from the OpenAPI
document of version ${info.version}, which a running daemon serves at \`/api/v1/openapi.json\`. The page
[Management API](../management-api.md) describes tokens, sessions, conventions and error codes.

The commands need the URL of the admin listener in \`DOCKBELL_URL\`, for example \`http://127.0.0.1:8788\`, and an API token in
\`DOCKBELL_TOKEN\`. Replace the names, IDs and values in them.`,
    ...lists,
    `## Errors\n\nThe body of an error is a [Problem](objects.md#problem). Each operation lists its statuses.\n\n${table(
      ['status', 'meaning'],
      listErrors(paths),
    )}`,
  ].join('\n\n');
}

/** Each status of errors with its description. */
function listErrors(paths) {
  const meanings = new Map();
  const operations = Object.values(paths).flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
  for (const { responses } of operations) {
    for (const [status, { description }] of Object.entries(responses).filter(([status]) => isError(status))) {
      meanings.set(status, (meanings.get(status) ?? new Set()).add(description));
    }
  }
  const sorted = [...meanings].sort(([a], [b]) => Number(a) - Number(b));
  return sorted.map(([status, texts]) => [`\`${status}\``, [...texts].join(' ')]);
}

function renderGroup({ title, description, operations }) {
  // The search shows titles, and concepts have the same names.
  return [`# ${title} (API)`, description, ...operations.map(renderOperation)].join('\n\n');
}

function renderOperation(operation) {
  const { summary, request, description, parameters = [], requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: place, required, description: text = '', schema }) => [
    `\`${name}\`${required ? '' : ' (optional)'}`,
    place,
    describeType(schema),
    describeValue({ ...schema, description: schema.description ?? text }),
  ]);
  return [
    `## ${summary}`,
    `\`${request}\``,
    description,
    `\`\`\`sh\n${renderCurl(operation)}\n\`\`\``,
    rows.length === 0 ? null : `**Parameters**\n\n${table(['name', 'in', 'type', 'description'], rows)}`,
    requestBody === undefined ? null : renderRequestBody(requestBody),
    renderResponses(responses),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderRequestBody({ content }) {
  return Object.entries(content).map(([type, { schema, examples = {} }]) => {
    const shown = Object.values(examples).map(({ summary = 'Example', value }) => `${summary}:\n\n${json(value)}`);
    return [`**Request body** (\`${type}\`)`, renderSchema(schema), ...shown].join('\n\n');
  })[0];
}

/** A table of the fields, one for each alternative, or the type of a value without fields. */
function renderSchema(schema) {
  if (schema.anyOf !== undefined) return schema.anyOf.map(renderSchema).join('\n\nor\n\n');
  const fields = listFields(schema);
  return fields.length === 0 ? `Type: ${describeType(schema)}.` : table(['field', 'type', 'description'], fields);
}

function renderResponses(responses) {
  const answers = Object.entries(responses).filter(([status]) => !isError(status));
  const errors = Object.keys(responses).filter(isError);
  return [
    '**Responses**',
    ...answers.map(([status, response]) => renderAnswer(status, response)),
    errors.length === 0 ? null : `[Errors](overview.md#errors): ${errors.map((status) => `\`${status}\``).join(', ')}.`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

function renderAnswer(status, { description, content = {}, headers = {} }) {
  const [type, body] = Object.entries(content)[0] ?? [];
  const names = Object.keys(headers).map((name) => `\`${name}\``);
  const line = [
    `\`${status}\`: ${description}`,
    type === undefined ? '' : ` Body: ${describeBody(type, body.schema)}.`,
    names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`,
  ].join('');
  const isInline = body?.schema?.properties !== undefined && listedObject(body.schema) === null;
  return isInline ? `${line}\n\n${renderSchema(body.schema)}` : line;
}

function describeBody(type, schema) {
  const listed = schema === undefined ? null : listedObject(schema);
  if (listed !== null) return `a page of ${linkToObject(listed)}`;
  return schema?.$ref === undefined ? `\`${type}\`` : linkToObject(schema);
}

/** The reference to the objects of a list; `null` if the schema is not a list. */
function listedObject({ properties }) {
  return properties?.next_cursor === undefined ? null : (properties.data?.items?.$ref && properties.data.items) || null;
}

function renderObjects({ components }) {
  const sections = Object.entries(components.schemas).map(([name, schema]) =>
    [`## ${name}`, schema.description, renderSchema(schema), ...(schema.examples ?? []).slice(0, 1).map(json)]
      .filter(Boolean)
      .join('\n\n'),
  );
  return ['# Objects (API)', OBJECTS, ...sections].join('\n\n');
}

function json(value) {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function isError(status) {
  return Number(status) >= 400;
}

/** The anchor of a title, as on GitHub. */
function anchorOf(title) {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
