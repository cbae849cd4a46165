import type { ExecutionRequest } from '../../../domain/ports/executor.ts';
import type { RunInput } from '../../../domain/resources/run.ts';
import { isReservedVariable } from '../../../domain/runs/reserved-variables.ts';
import { CONTEXT_FIELDS, type RunContext } from '../../../domain/runs/run-context.ts';
import { traceAttempt } from '../../../domain/telemetry/trace-context.ts';
import { listContext } from '../../../domain/words/runs.ts';

/** Absolute paths of an attempt. */
export interface RunPlaces {
  /** The working directory and `HOME`. */
  work: string;
  temporary: string;
  payload: string;
  /** The checkout; `null` for none. */
  workspace: string | null;
}

/** Environment of a child process. With a value of `undefined`, Node does not add its variable of that name. */
export type ChildEnvironment = { [name: string]: string | undefined };

export type EnvironmentOutcome = { ok: true; environment: ChildEnvironment } | { ok: false; error: string };

/**
 * The complete environment of a run; it inherits nothing (interfaces, "A run's directory and environment"; threat model
 * E1). A secret that cannot be a variable, or must not be one, is an error: it is never omitted silently.
 */
export function buildRunEnvironment(
  { input, context, secrets }: Pick<ExecutionRequest, 'input' | 'context' | 'secrets'>,
  places: RunPlaces,
  path: string,
): EnvironmentOutcome {
  const environment = Object.assign(describeRun(input, places, path), describeContext(context));
  for (const [name, value] of secrets) {
    const problem = findProblem(name, value.reveal());
    if (problem !== null) return { ok: false, error: `secret ${JSON.stringify(name)} ${problem}` };
    environment[name] = value.reveal();
  }
  return { ok: true, environment };
}

function describeRun({ run, webhook, event }: RunInput, places: RunPlaces, path: string): ChildEnvironment {
  // Without a prototype, so that `__proto__` is an ordinary name.
  const environment: ChildEnvironment = Object.create(null);
  const trace = traceAttempt(run);
  return Object.assign(environment, {
    // Node passes its NODE_V8_COVERAGE to every child unless the name is set.
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
    DOCKBELL_EVENT: event ?? '',
    DOCKBELL_PAYLOAD: places.payload,
    DOCKBELL_WORKSPACE: places.workspace ?? undefined,
    TRACEPARENT: trace?.traceparent,
    TRACESTATE: trace?.tracestate ?? undefined,
  });
}

/** Only the values that the delivery has. They have no control character. */
function describeContext(context: RunContext): ChildEnvironment {
  return Object.fromEntries(listContext(context).map(({ name, text }) => [CONTEXT_FIELDS[name].variable, text]));
}

function findProblem(name: string, value: string): string | null {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'cannot be passed to a run: its name is not a valid variable name';
  if (isReservedVariable(name)) {
    return 'cannot be passed to a run: a variable with that name changes how programs start; store it under another name';
  }
  if (value.includes('\0')) return 'cannot be passed to a run: it contains a NUL byte, which no variable can contain';
  return null;
}

/** No variable can contain a NUL, and an unusual delivery ID of a sender must not prevent a run. */
function replaceNul(text: string): string {
  return text.replaceAll('\0', '\u{fffd}');
}
