import { isReservedVariable } from '../../core/reserved-variables.ts';
import type { RunInput } from '../../core/resources/run.ts';
import type { SecretValue } from '../../core/secret-value.ts';

/** Where an attempt finds its things; absolute paths. */
export interface RunPlaces {
  /** Its working directory and `HOME`. */
  work: string;
  temporary: string;
  payload: string;
}

/** Environment of a child process. A value of `undefined` keeps Node from adding a variable of its own. */
export type ChildEnvironment = { [name: string]: string | undefined };

export type EnvironmentOutcome = { ok: true; environment: ChildEnvironment } | { ok: false; error: string };

/**
 * The whole environment of a run, built from nothing (interfaces, "A run's directory and environment"; threat model E1).
 * A secret that cannot be a variable, or may not be one, is an error: it is never left out in silence.
 */
export function buildRunEnvironment(
  input: RunInput,
  places: RunPlaces,
  path: string,
  secrets: ReadonlyMap<string, SecretValue>,
): EnvironmentOutcome {
  const environment = describeRun(input, places, path);
  for (const [name, value] of secrets) {
    const problem = findProblem(name, value.reveal());
    if (problem !== null) return { ok: false, error: `secret ${JSON.stringify(name)} ${problem}` };
    environment[name] = value.reveal();
  }
  return { ok: true, environment };
}

function describeRun({ run, webhook }: RunInput, places: RunPlaces, path: string): ChildEnvironment {
  // Without a prototype, so that `__proto__` is a name like any other.
  const environment: ChildEnvironment = Object.create(null);
  return Object.assign(environment, {
    // Node hands its own NODE_V8_COVERAGE to every child unless the name is taken.
    NODE_V8_COVERAGE: undefined,
    PATH: path,
    HOME: places.work,
    TMPDIR: places.temporary,
    LANG: 'C.UTF-8',
    DOCKBELL_RUN_ID: run.id,
    DOCKBELL_FACTORY: replaceNul(run.factory),
    DOCKBELL_AUTOMATION: replaceNul(run.automation),
    DOCKBELL_WEBHOOK: replaceNul(webhook.name),
    DOCKBELL_WEBHOOK_UID: replaceNul(webhook.uid),
    DOCKBELL_DELIVERY_ID: replaceNul(run.deliveryIdentity),
    DOCKBELL_PAYLOAD: places.payload,
  });
}

function findProblem(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'cannot be handed to a run: its name is no name of a variable';
  if (isReservedVariable(name)) {
    return 'cannot be handed to a run: a variable of that name changes how programs start; store it under another name';
  }
  if (value.includes('\0')) return 'cannot be handed to a run: it holds a NUL byte, which no variable can';
  return null;
}

/** No variable can hold a NUL, and a sender's odd identity must not keep a run from starting. */
function replaceNul(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}
