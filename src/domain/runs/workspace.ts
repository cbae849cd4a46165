import { isJsonObject, type Json } from '../json.ts';
import type { SecretValue } from '../secrets/secret-value.ts';

/** `workspace` as a definition file declares it: texts with templates such as `{{ pull_request.head.sha }}`. */
export type WorkspacePolicy = { repository?: string; ref?: string };

/** A template or a text without spaces and braces; see `renderTemplate`. */
export const TEMPLATE_PATTERN = '^(?=.{1,500}$)(?:[^{}\\s]|\\{\\{ *[^{}.\\s]+(?:\\.[^{}.\\s]+){0,9} *\\}\\})+$';

const PLACEHOLDER = /\{\{ *([^{}\s]+) *\}\}/g;
const MAX_VALUE_CHARACTERS = 1000;

export type Rendered = { ok: true; text: string } | { ok: false; problem: string };

/** Replaces each `{{ path }}` by the text or the whole number at this path of the payload. */
export function renderTemplate(template: string, payload: Json): Rendered {
  let problem: string | null = null;
  const text = template.replace(PLACEHOLDER, (_, path: string) => {
    const value = readPath(payload, path.split('.'));
    if (typeof value === 'string' && value !== '' && value.length <= MAX_VALUE_CHARACTERS) return value;
    if (Number.isSafeInteger(value)) return String(value);
    problem ??= `the payload has no text and no whole number at ${path}`;
    return '';
  });
  return problem === null ? { ok: true, text } : { ok: false, problem };
}

function readPath(payload: Json, path: readonly string[]): Json | undefined {
  let value: Json | undefined = payload;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/**
 * The name of a branch or a tag, a full ref, or a whole commit ID: `git check-ref-format`, and nothing like an option or a
 * forced refspec (`+main`).
 */
export function isSafeRef(ref: string): boolean {
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)) return true;
  if (ref === '' || ref === '@' || ref.length > 255 || /^[-+]/.test(ref)) return false;
  if (/[ ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/.test(ref) || /\p{C}/u.test(ref)) return false;
  return ref.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock'));
}

/** What to check out for a run. */
interface WorkspaceTarget {
  /** As the automation names it; `null` for the repository of the factory. */
  repository: string | null;
  ref: string;
}

type ResolvedWorkspace = { ok: true; target: WorkspaceTarget } | { ok: false; problem: string };

/**
 * The checkout that a run gets.
 *
 * @param revision the commit that was live, the default of `ref` in the repository of the factory
 */
export function resolveWorkspace(
  { repository, ref }: WorkspacePolicy,
  payload: Uint8Array,
  revision: string | null,
): ResolvedWorkspace {
  const value = parsePayload(payload);
  const named = repository === undefined ? null : renderTemplate(repository, value);
  if (named?.ok === false) return { ok: false, problem: `workspace.repository: ${named.problem}` };
  const fallback = named === null ? (revision ?? 'HEAD') : 'HEAD';
  const wanted: Rendered = ref === undefined ? { ok: true, text: fallback } : renderTemplate(ref, value);
  if (!wanted.ok) return { ok: false, problem: `workspace.ref: ${wanted.problem}` };
  if (isSafeRef(wanted.text)) return { ok: true, target: { repository: named?.text ?? null, ref: wanted.text } };
  return { ok: false, problem: `workspace.ref: ${JSON.stringify(wanted.text)} is not a branch, a tag or a commit ID` };
}

/** The checkout that a worker makes for a run, or why it cannot be made. */
export type WorkerCheckout =
  | { url: string; ref: string; credentials: { username: string; password: SecretValue } | null }
  | { problem: string };

/** The checkout as a run and a worker see it; `null` if there is none, or if the payload names none. */
export function presentWorkspace(
  workspace: WorkspacePolicy | null,
  payload: Uint8Array,
  revision: string | null,
): WorkspaceTarget | null {
  if (workspace === null) return null;
  const resolved = resolveWorkspace(workspace, payload, revision);
  return resolved.ok ? resolved.target : null;
}

function parsePayload(payload: Uint8Array): Json {
  try {
    return JSON.parse(Buffer.from(payload).toString('utf8'));
  } catch {
    return null;
  }
}
