import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SECRET_PLACEHOLDER } from '../src/definitions/signature/handshakes/handshake.ts';
import { HANDSHAKES } from '../src/definitions/signature/handshakes/handshakes.ts';
import type { ContentPart, KeyForm, Scheme, SignatureScheme } from '../src/definitions/signature/scheme.ts';
import { describeScheme } from '../src/definitions/signature/schemes/describe-scheme.ts';
import { writePingFilter } from '../src/definitions/signature/schemes/ping-filter.ts';
import { findLastRetry, findTimeWindow, isBodySecondKey } from '../src/definitions/signature/schemes/retries.ts';
import { listCredentialPlaces, listIdentities, SCHEMES } from '../src/definitions/signature/schemes/schemes.ts';

/** The text of one scheme in `docs/schemes/guides.yaml`. */
export interface Guide {
  where: string;
  paste: string;
  /** Which answers the provider retries, and for how long. Omitted if the provider documents nothing about it. */
  retries?: string;
  pitfalls: string[];
}

/** The text of one handshake in `docs/schemes/handshakes.yaml`. */
export interface HandshakeGuide {
  /** The provider, if the handshake belongs to no scheme. */
  title?: string;
  sends: string;
  answered: string;
  setUp: string;
  /** The provider's page. */
  documentation: string;
}

/** All guides by the name of their scheme. */
export function readGuides(): { [scheme: string]: Guide } {
  return parse(readFileSync(new URL('../docs/schemes/guides.yaml', import.meta.url), 'utf8'));
}

/** The guides of all handshakes by name. */
export function readHandshakeGuides(): { [handshake: string]: HandshakeGuide } {
  const text = readFileSync(new URL('../docs/schemes/handshakes.yaml', import.meta.url), 'utf8');
  return parse(text.replaceAll('{placeholder}', SECRET_PLACEHOLDER));
}

/** The page of each scheme, by its path in the repository. */
export function renderSchemePages(): [path: string, text: string][] {
  const guides = readGuides();
  return SCHEMES.map((scheme) => [`docs/schemes/${scheme.name}.md`, renderScheme(scheme, guides[scheme.name]!)]);
}

/** The table in docs/reference/signature-schemes.md. */
export function renderSchemeTable(): string {
  const names = 'scheme | provider | location | proof | form | signed | time window | identity | event | secret';
  return `| ${names} |\n|${' --- |'.repeat(10)}\n${SCHEMES.map((scheme) => `${renderRow(scheme)}\n`).join('')}`;
}

const SECRET_SENTENCES = {
  user: 'You choose it, and enter it at the provider in step 3.',
  app: "It belongs to the provider's app or account and exists before any URL.",
  after: "The provider issues it after it knows the webhook's URL. Store a placeholder until then:",
  handshake: `The provider sends it to the URL, in the first request. Store the placeholder \`${SECRET_PLACEHOLDER}\` until then:`,
} as const;

/** The schemes whose providers post forms unless the user chooses JSON. */
const POSTS_FORMS = new Set(['travis', 'twilio']);

/** One page: sections, each a list of paragraphs. */
function renderScheme(scheme: Scheme, guide: Guide): string {
  const webhook = scheme.name.replaceAll('_', '-');
  const secretName = `${scheme.name.toUpperCase()}_WEBHOOK_SECRET`;
  const format = POSTS_FORMS.has(scheme.name) ? ['bodyFormat: form'] : [];
  const definition = ['authMode: signature', `signatureScheme: ${scheme.name}`, `secretName: ${secretName}`, ...format];
  const paragraphs = [
    `# ${scheme.title}`,
    fence(`yaml webhooks/${webhook}.yaml`, [...definition, ...declareVerifyToken(scheme)]),
    '## 1. The secret',
    guide.paste,
    SECRET_SENTENCES[scheme.whenSecretIsIssued],
    fence('sh', storeSecrets(scheme, secretName)),
    '## 2. The URL',
    'Commit the file, apply it, and print the URL:',
    fence('sh', ['dockbell reconcile --wait', `dockbell webhook show ${webhook} --json | jq -r .ingress_url`]),
    URL_SENTENCES,
    '## 3. At the provider',
    guide.where,
    ...replacePlaceholder(scheme, secretName),
    ...describeHandshakes(scheme),
    '## 4. Test it',
    ...describeTest(scheme, webhook),
    '## What is checked',
    renderTable(listChecks(scheme)),
    '## What identifies a delivery',
    describeIdentity(scheme),
    '## The name of the event',
    describeEvent(scheme),
    ...describeAnswer(scheme),
    ...describeRetries(scheme, guide),
    '## Pitfalls',
    [...guide.pitfalls, ...describePing(scheme)].map((pitfall) => `- ${pitfall}`).join('\n'),
    `The provider's documentation: <${scheme.documentation}>. All schemes: [signature schemes](../reference/signature-schemes.md).`,
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

function describePing(scheme: Scheme): string[] {
  const filter = writePingFilter(scheme);
  if (filter === null) return [];
  return [
    `The \`ping\` starts each automation that selects the webhook without a filter. To exclude it, add \`${filter}\` to the filter of the trigger.`,
  ];
}

function fence(info: string, lines: string[]): string {
  return `\`\`\`${info}\n${lines.join('\n')}\n\`\`\``;
}

/** A table of two columns without a heading. */
function renderTable(rows: string[][]): string {
  return ['| | |', '| --- | --- |', ...rows.map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

const URL_SENTENCES =
  'The URL begins with `baseUrl` of the [configuration](../reference/configuration.md). The provider must be able to reach it. The [automations](../reference/automation.md) that name this webhook define what a delivery starts.';

function storeSecrets(scheme: Scheme, secretName: string): string[] {
  const generated = isAnyText(scheme) ? ['SECRET=$(openssl rand -hex 32)', 'echo "$SECRET"'] : [];
  const stored = `${PLACEHOLDERS[scheme.whenSecretIsIssued](scheme)} | dockbell secret create ${secretName}`;
  const verifyTokens = needsVerifyToken(scheme)
    ? [`printf %s "$VERIFY_TOKEN" | dockbell secret create ${verifyTokenName(scheme)}`]
    : [];
  return [...generated, stored, ...verifyTokens];
}

/** Does the team choose the secret, and is any text valid? */
function isAnyText(scheme: Scheme): boolean {
  return (
    scheme.whenSecretIsIssued === 'user' &&
    scheme.family === 'signature' &&
    scheme.keys.every(({ decode }) => decode === 'text')
  );
}

/** A placeholder must have the form that the scheme requires, because the form is checked when the webhook is applied. */
const PLACEHOLDERS: { [when in Scheme['whenSecretIsIssued']]: (scheme: Scheme) => string } = {
  user: () => 'printf %s "$SECRET"',
  app: () => 'printf %s "$SECRET"',
  after: (scheme) =>
    describeScheme(scheme).signedWith === 'private_key'
      ? 'openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout'
      : 'openssl rand -base64 32',
  handshake: () => `printf %s ${SECRET_PLACEHOLDER}`,
};

function replacePlaceholder(scheme: Scheme, secretName: string): string[] {
  if (scheme.whenSecretIsIssued !== 'after') return [];
  return [
    'Then replace the placeholder with the secret that the provider issued. The next commit activates it; an empty commit is enough:',
    fence('sh', [
      `printf %s "$SECRET" | dockbell secret update ${secretName}`,
      "git commit --allow-empty -m 'Activate the new secret' && git push",
      'dockbell reconcile --wait',
    ]),
  ];
}

function describeTest(scheme: Scheme, webhook: string): string[] {
  const canSend = describeScheme(scheme).signedWith === 'secret';
  return [
    canSend
      ? `The first command posts a small event as ${scheme.title} would. The second shows what arrives:`
      : `Only ${scheme.title} can sign. Make it send an event, and watch:`,
    fence('sh', [...(canSend ? [`dockbell send ${webhook}`] : []), `dockbell delivery list ${webhook} --follow`]),
    'A rejected delivery has a reason of one word. `dockbell diagnose` finds the mistake and suggests a fix ([diagnosing rejections](../operations/diagnosing-rejections.md)):',
    fence('sh', [
      `dockbell webhook capture ${webhook} --for 10m`,
      '# make the sender send again',
      `dockbell delivery list ${webhook} --label 'Rejected (auth)'`,
      'dockbell diagnose dlv_…',
    ]),
  ];
}

function listHandshakes(scheme: Scheme) {
  return HANDSHAKES.filter((row) => row.scheme === scheme.name);
}

function declareVerifyToken(scheme: Scheme): string[] {
  return needsVerifyToken(scheme) ? [`verifyTokenSecretName: ${verifyTokenName(scheme)}`] : [];
}

function needsVerifyToken(scheme: Scheme): boolean {
  return listHandshakes(scheme).some((row) => row.needsVerifyToken);
}

function verifyTokenName(scheme: Scheme): string {
  return `${scheme.name.toUpperCase()}_VERIFY_TOKEN`;
}

/** What the provider sends before it sends deliveries. */
function describeHandshakes(scheme: Scheme): string[] {
  const guides = readHandshakeGuides();
  return listHandshakes(scheme).flatMap(({ name }, at) => {
    const { setUp, sends, answered, documentation } = guides[name]!;
    return [
      at === 0 ? '## The handshake' : '### Later',
      setUp,
      renderTable([
        ['sent', sends],
        ['answered', answered],
      ]),
      `\`dockbell webhook show\` lists the most recent handshakes. The provider's documentation: <${documentation}>.`,
    ];
  });
}

function listChecks(scheme: Scheme): string[][] {
  const fixed = scheme.family === 'signature' ? scheme.headers.flatMap((family) => family.fixed) : [];
  return [
    ['location', code(listCredentialPlaces(scheme))],
    ['proof', digestOf(scheme)],
    ['form', formOf(scheme)],
    ['signed', contentOf(scheme)],
    ['time window', windowOf(scheme)],
    ...fixed.map(({ name, value }) => ['required', `\`${name}: ${value}\``]),
  ];
}

function describeIdentity(scheme: Scheme): string {
  const identities = listIdentities(scheme);
  const second = isBodySecondKey(scheme)
    ? ' A delivery with the body of an accepted one starts nothing either, also with another ID.'
    : '';
  if (identities.length === 0) {
    return `This provider sends no delivery ID. If the sender can set a header with an event ID, name the header in \`deliveryIdHeader\`; if the body contains one, name its path in \`deliveryIdPath\`. Otherwise identical bodies count as duplicates.${second}`;
  }
  const names = identities.map((name) => `\`${name}\``).join(' or ');
  const source =
    scheme.eventId === undefined
      ? ''
      : ` ${nameSources(scheme.eventId.source === null ? [] : [scheme.eventId.source])}`;
  return `${names}. A delivery that is sent again with the same value starts nothing.${source}${second}`;
}

function describeEvent(scheme: Scheme): string {
  const places = listEventPlaces(scheme);
  if (places.length === 0) return 'Not known: a delivery of this provider has no name, or several.';
  return `Dockbell reads it from ${places.join(' and ')}. Lists show it, and a run gets it as \`DOCKBELL_EVENT\`.`;
}

/** For providers that take no other answer for a success. */
function describeAnswer({ success }: Scheme): string[] {
  if (success === undefined) return [];
  const { status, body, source } = success;
  const content = body === null ? 'The body is the same: `{"delivery_id": …}`.' : `The body is \`${body}\`.`;
  return [
    '## The answer',
    `A stored delivery is answered with \`${status}\` in place of \`202\`. ${content} Duplicates get the same answer. Source: <${source}>.`,
  ];
}

/** Omitted if nothing is documented. */
function describeRetries(scheme: Scheme, { retries }: Guide): string[] {
  const { sources } = scheme.retries;
  const facts = [...(retries === undefined ? [] : [retries]), ...describeTimestamp(scheme)];
  if (facts.length === 0) return [];
  const isKnown = scheme.retries.plan !== null || scheme.retries.timestamp !== 'unknown';
  return ['## Retries', ...facts, ...(isKnown ? [nameSources(sources)] : [])];
}

/** Where a fact was looked up. */
function nameSources(pages: readonly string[]): string {
  if (pages.length === 0)
    return 'This is general knowledge of the provider. It was not looked up in its documentation.';
  return `${pages.length === 1 ? 'Source' : 'Sources'}: ${pages.map((page) => `<${page}>`).join(', ')}.`;
}

const TIMESTAMPS_OF_RETRIES = {
  renewed: 'A retry has a new timestamp.',
  repeated: 'A retry repeats the timestamp of the first attempt.',
  unknown: 'It is not known whether a retry has a new timestamp.',
} as const;

/** Which retries the time window accepts; nothing if the scheme has no window, or if no attempt can be outside. */
function describeTimestamp(scheme: Scheme): string[] {
  const window = findTimeWindow(scheme);
  const last = findLastRetry(scheme.retries.plan);
  if (window === null || last === 0) return [];
  const stated = TIMESTAMPS_OF_RETRIES[scheme.retries.timestamp];
  if (scheme.retries.timestamp === 'renewed') return [stated];
  const reach =
    last === null
      ? `A retry with a timestamp older than ${formatSeconds(window)} is rejected as \`stale_timestamp\`.`
      : `The last retry is sent ${formatSeconds(last)} after the first attempt, so the time window is ${formatSeconds(window)}.`;
  return [`${stated} ${reach}`];
}

const UNITS = [
  { seconds: 3600, name: 'hour' },
  { seconds: 60, name: 'minute' },
] as const;

/** In the largest unit that needs at most one decimal place. */
function formatSeconds(seconds: number): string {
  const unit = UNITS.find((one) => seconds >= one.seconds && Number.isInteger((seconds * 10) / one.seconds));
  const [count, name] = unit === undefined ? [seconds, 'second'] : [seconds / unit.seconds, unit.name];
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

function listEventPlaces({ event }: Scheme): string[] {
  const { header, path } = event ?? {};
  const inHeader = header === undefined ? [] : [`the header \`${header}\``];
  return path === undefined ? inHeader : [...inHeader, `\`${path.join('.')}\` of the body`];
}

/** Names as code; of a long series the first and the last. */
function code(names: string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  return names.length > 4 ? `${quoted[0]} to ${quoted.at(-1)}` : quoted.join(', ');
}

function unique(texts: string[]): string {
  return [...new Set(texts)].join(', ');
}

const DIGEST_NAMES = { ed25519: 'Ed25519', 'ecdsa-p256': 'ECDSA P-256 with SHA-256' } as const;

function nameDigest({ algorithm }: KeyForm): string {
  if (algorithm.kind === 'hmac') return `HMAC-${algorithm.hash.toUpperCase()}`;
  return algorithm.kind === 'rsa' ? `RSA with ${algorithm.hash.toUpperCase()}` : DIGEST_NAMES[algorithm.kind];
}

function digestOf(scheme: Scheme): string {
  if (scheme.family === 'token') return 'token';
  return scheme.family === 'special' ? scheme.described.digest : unique([...scheme.keys].reverse().map(nameDigest));
}

function formOf(scheme: Scheme): string {
  if (scheme.family === 'token') return unique(scheme.places.map((place) => FORMS_OF_TOKENS[place.in]));
  if (scheme.family === 'special') return scheme.described.form;
  // HMAC keys come before public keys.
  const labels = [...scheme.keys].reverse().map((key) => key.label);
  const forms = labels.map((label) => formUnder(scheme, label));
  return unique(scheme.entrySeparator === null ? forms : [...forms, 'list']);
}

const FORMS_OF_TOKENS = { header: 'as it is', bearer: 'bearer', basic: 'basic', json_list: 'as it is' } as const;

function formUnder({ encoding, labelSeparator }: SignatureScheme, label: string | null): string {
  return label === null ? encoding : `\`${label}${labelSeparator}\` ${encoding}`;
}

function contentOf(scheme: Scheme): string {
  if (scheme.family === 'token') return 'nothing';
  if (scheme.family === 'special') return scheme.described.content;
  return `\`${scheme.content.map(describePart).join('')}\``;
}

function describePart(part: ContentPart): string {
  if (part.part === 'text') return part.text;
  if (part.part === 'identity') return '{id}';
  if (part.part === 'header') return `{header:${part.name}}`;
  if (part.part === 'json') return `{json:${part.path.join('.')}}`;
  return part.part === 'form_field' ? `{form:${part.name}}` : `{${part.part}}`;
}

function windowOf(scheme: Scheme): string {
  if (scheme.family !== 'signature' || !scheme.timestamp?.signed) return 'none';
  const { toleranceSeconds, futureToleranceSeconds } = scheme.timestamp;
  const future = futureToleranceSeconds === undefined ? '' : `, ${futureToleranceSeconds} s ahead`;
  return `${toleranceSeconds} s${future}`;
}

function renderRow(scheme: Scheme): string {
  const cells = [
    `[\`${scheme.name}\`](../schemes/${scheme.name}.md)`,
    scheme.title,
    code(listCredentialPlaces(scheme)),
    digestOf(scheme),
    formOf(scheme),
    contentOf(scheme),
    windowOf(scheme),
    code(listIdentities(scheme)) || 'none',
    listEventPlaces(scheme).join(', ') || 'none',
    scheme.canGenerateSecret ? `${scheme.whenSecretIsIssued}, or generated` : scheme.whenSecretIsIssued,
  ];
  return `| ${cells.join(' | ')} |`;
}
