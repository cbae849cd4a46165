import type { JsonObject } from '../../../domain/json.ts';
import type {
  Algorithm,
  HeaderFamily,
  KeyForm,
  RequestPlace,
  SignatureScheme,
  TimestampRule,
  TimestampUnit,
} from '../scheme.ts';
import { parseContent } from './parse-content.ts';
import { DEFAULT_TOLERANCE_SECONDS, header, ROW } from './parts.ts';

/** Value of `signatureScheme` for a sender that no row of the table describes. */
export const CUSTOM = 'custom';

/** What a definition writes under `signature`; its form is checked by `schemas/webhook.schema.json`. */
interface Settings {
  header?: string | string[];
  jsonPath?: string[];
  algorithm?: keyof typeof ALGORITHMS;
  key?: KeyForm['decode'];
  keyPrefix?: string;
  encoding?: 'hex' | 'base64';
  entrySeparator?: SignatureScheme['entrySeparator'];
  label?: string;
  labelSeparator?: '=' | ',';
  content?: string;
  timestamp?: {
    header?: string;
    label?: string;
    jsonPath?: string[];
    unit?: TimestampUnit;
    toleranceSeconds?: number;
    futureToleranceSeconds?: number;
  };
  idHeader?: string;
  requiredHeaders?: string[];
  fixedHeaders?: { [name: string]: string };
}

const ALGORITHMS = {
  'hmac-sha1': { kind: 'hmac', hash: 'sha1' },
  'hmac-sha256': { kind: 'hmac', hash: 'sha256' },
  'hmac-sha512': { kind: 'hmac', hash: 'sha512' },
  ed25519: { kind: 'ed25519' },
  'ecdsa-p256-sha256': { kind: 'ecdsa-p256' },
  'rsa-sha1': { kind: 'rsa', hash: 'sha1' },
  'rsa-sha256': { kind: 'rsa', hash: 'sha256' },
} as const satisfies Record<string, Algorithm>;

/** A mistake or a weakness of a `signature` block; `key` is the key of the block that has it. */
interface SettingsFinding {
  key: string;
  message: string;
  hint: string;
}

/** The scheme that a `signature` block describes, or the reasons why it describes none. */
type CustomScheme =
  | { ok: true; scheme: SignatureScheme; weaknesses: SettingsFinding[] }
  | { ok: false; problems: SettingsFinding[] };

/** Reads the scheme that a `signature` block describes. Checks how keys depend on each other; the schema checks the rest. */
export function readCustomScheme(declared: JsonObject): CustomScheme {
  const settings = declared as Settings;
  const content = parseContent(settings.content ?? '{body}');
  if (!content.ok) return { ok: false, problems: [{ key: 'content', message: content.message, hint: content.hint }] };
  const scheme = composeScheme(settings, content.parts);
  const problems = findProblems(settings, scheme);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, scheme, weaknesses: findWeaknesses(scheme) };
}

function composeScheme(settings: Settings, content: SignatureScheme['content']): SignatureScheme {
  return {
    ...ROW,
    name: CUSTOM,
    title: 'this sender',
    keys: [composeKey(settings)],
    entrySeparator: settings.entrySeparator ?? null,
    labelSeparator: settings.label === undefined ? null : (settings.labelSeparator ?? '='),
    encoding: settings.encoding ?? 'hex',
    content,
    headers: [composeFamily(settings, content)],
    timestamp: composeTimestamp(settings, content),
    whenSecretIsIssued: 'user',
    documentation: '',
  };
}

function composeKey({ algorithm: name = 'hmac-sha256', key, keyPrefix = '', label }: Settings): KeyForm {
  const algorithm = ALGORITHMS[name];
  const decode = key ?? (algorithm.kind === 'hmac' ? 'text' : 'spki');
  const isRawEd25519 = algorithm.kind === 'ed25519' && decode !== 'spki';
  const [minBytes, maxBytes] = isRawEd25519 ? [32, 32] : [1, Number.POSITIVE_INFINITY];
  return { prefix: keyPrefix, decode, minBytes, maxBytes, algorithm, label: label ?? null };
}

function composeFamily(settings: Settings, content: SignatureScheme['content']): HeaderFamily {
  const { idHeader, requiredHeaders = [], fixedHeaders = {}, timestamp } = settings;
  const hashesId = content.some((part) => part.part === 'identity');
  return {
    name: CUSTOM,
    signatures: listPlaces(settings) as unknown as readonly [RequestPlace, ...RequestPlace[]],
    timestamp: timestamp?.header ?? null,
    identity: idHeader === undefined ? null : header(idHeader),
    fallbackIdentity: null,
    required: hashesId && idHeader !== undefined ? [...requiredHeaders, idHeader] : requiredHeaders,
    fixed: Object.entries(fixedHeaders).map(([name, value]) => ({ name, value })),
  };
}

function listPlaces(settings: Settings): RequestPlace[] {
  const inHeaders = [settings.header ?? []].flat().map(header);
  return settings.jsonPath === undefined ? inHeaders : [...inHeaders, { in: 'json', path: settings.jsonPath }];
}

function composeTimestamp({ timestamp }: Settings, content: SignatureScheme['content']): TimestampRule | null {
  if (timestamp === undefined) return null;
  const { unit = 'seconds', toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, futureToleranceSeconds } = timestamp;
  const parts = new Set(content.map((part) => part.part));
  const from = composeOrigin(timestamp, parts.has('timestamp'));
  const signed = parts.has('timestamp') || (from.place === 'json' && parts.has('body'));
  if (!signed) return { from, unit, signed };
  return {
    from,
    unit,
    signed,
    toleranceSeconds,
    ...(futureToleranceSeconds === undefined ? {} : { futureToleranceSeconds }),
  };
}

function composeOrigin(
  { label, jsonPath, unit }: NonNullable<Settings['timestamp']>,
  isHashed: boolean,
): TimestampRule['from'] {
  if (label !== undefined) return { place: 'entry', label };
  if (jsonPath === undefined) return { place: 'header' };
  // A number can be written in several ways; only a text can be hashed as it was written.
  return { place: 'json', path: jsonPath, type: isHashed || unit === 'rfc3339' ? 'string' : 'number' };
}

function findProblems(settings: Settings, scheme: SignatureScheme): SettingsFinding[] {
  return [
    ...checkPlaces(settings),
    ...checkKey(scheme.keys[0]!),
    ...checkLabels(settings),
    ...checkTimestampSettings(settings, scheme),
    ...(scheme.content.some((part) => part.part === 'identity') && settings.idHeader === undefined
      ? [finding('content', 'content contains {id}, but idHeader is not set.', 'Name the header that contains the ID.')]
      : []),
  ];
}

function checkPlaces({ header: names, jsonPath }: Settings): SettingsFinding[] {
  if ((names === undefined) !== (jsonPath === undefined)) return [];
  const message =
    names === undefined
      ? 'signature does not name the location of the signature.'
      : 'signature names a header and a value of the body; only one of them can contain the signature.';
  return [finding('header', message, 'Name the header of the signature, for example "header: X-Signature".')];
}

function checkKey({ algorithm, decode, prefix }: KeyForm): SettingsFinding[] {
  const fits =
    algorithm.kind === 'hmac'
      ? decode !== 'spki'
      : decode === 'spki' || (algorithm.kind === 'ed25519' && decode !== 'text');
  if (!fits) {
    const allowed = { hmac: 'text, base64 or hex', ed25519: 'spki, base64 or hex', rsa: 'spki', 'ecdsa-p256': 'spki' };
    return [finding('key', `key is ${decode}, which does not fit the algorithm.`, `Use ${allowed[algorithm.kind]}.`)];
  }
  if (prefix === '' || decode === 'base64' || decode === 'hex') return [];
  const hint = 'Remove keyPrefix; with key: text the whole secret is the key, including its beginning.';
  return [finding('keyPrefix', 'keyPrefix is set, but the key is not base64 or hex.', hint)];
}

function checkLabels({ label, labelSeparator, timestamp, entrySeparator }: Settings): SettingsFinding[] {
  const found: SettingsFinding[] = [];
  if (label === undefined && labelSeparator !== undefined) {
    found.push(finding('labelSeparator', 'labelSeparator is set, but label is not.', 'Add the label, or remove it.'));
  }
  if (timestamp?.label !== undefined && (entrySeparator === undefined || label === undefined)) {
    const hint = 'Set entrySeparator and label, for example "," and v1 for "t=1700000000,v1=...".';
    found.push(finding('timestamp', 'timestamp.label requires a header with several labelled entries.', hint));
  }
  return found;
}

function checkTimestampSettings({ timestamp, header: names }: Settings, scheme: SignatureScheme): SettingsFinding[] {
  const isHashed = scheme.content.some((part) => part.part === 'timestamp');
  if (timestamp === undefined) {
    const hint = 'Add timestamp with its location, for example "timestamp: {header: X-Timestamp}".';
    return isHashed ? [finding('content', 'content contains {timestamp}, but timestamp is not set.', hint)] : [];
  }
  const stamped = timestamp.header?.toLowerCase();
  if ([names ?? []].flat().some((name) => name.toLowerCase() === stamped)) {
    const hint = 'Name the header of the timestamp; for "t=1700000000,v1=..." in one header use label, not header.';
    return [finding('timestamp', 'timestamp.header names the header of the signature.', hint)];
  }
  const places = [timestamp.header, timestamp.label, timestamp.jsonPath].filter((place) => place !== undefined);
  if (places.length === 1) return [];
  const message = 'timestamp must name exactly one place.';
  return [finding('timestamp', message, 'Give one of header, label and jsonPath.')];
}

function findWeaknesses({ keys, content, timestamp }: SignatureScheme): SettingsFinding[] {
  const { algorithm } = keys[0]!;
  const found: SettingsFinding[] = [];
  if ('hash' in algorithm && algorithm.hash === 'sha1') {
    found.push(
      finding('algorithm', 'The algorithm uses SHA-1, which is obsolete.', 'Configure the sender to use SHA-256.'),
    );
  }
  if (!content.some((part) => part.part === 'body' || part.part === 'form_field')) {
    const message = 'The body is not signed: anyone who captures one request can send any body with its signature.';
    found.push(finding('content', message, 'Configure the sender to sign {body} too.'));
  }
  if (timestamp === null) {
    const message = 'No timestamp is checked: a captured request can be replayed as long as the secret is valid.';
    found.push(
      finding('timestamp', message, 'Configure the sender to sign a timestamp, and add timestamp and {timestamp}.'),
    );
  } else if (!timestamp.signed) {
    const message = 'The timestamp is not part of the signed content, so it protects nothing and is not checked.';
    found.push(finding('timestamp', message, 'Add {timestamp} to content, if the sender signs it.'));
  }
  return found;
}

function finding(key: string, message: string, hint: string): SettingsFinding {
  return { key, message, hint };
}
