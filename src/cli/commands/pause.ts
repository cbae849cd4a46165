import type { Pause } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { EXIT_CODES } from '../exit-codes.ts';

interface PauseOptions {
  automation?: string;
  reason?: string;
  json?: boolean;
}

/** What one command pauses or resumes. */
interface Target {
  factory: string;
  automation: string | undefined;
}

const MORE =
  'Without --factory and --automation, this applies to every factory that the token can access. Deliveries are accepted\nmeanwhile, and their runs wait. Runs that were started continue. A pause outlives a restart of the daemon.';

/** `dockbell pause`: no further run of a factory or an automation starts. */
export function declarePause(command: CliCommand, bind: Bind): void {
  command
    .option('--automation <name>', 'pause only this automation')
    .option('--reason <text>', 'why; shown with each run that waits for it')
    .withJson()
    .explain({
      more: MORE,
      examples: [
        ['dockbell pause --reason "Too many pull requests"', 'start no run until dockbell resume'],
        ['dockbell pause --automation triage-issues', 'only this automation'],
      ],
    })
    .action(bind(pause));
}

/** `dockbell resume`: runs start again. */
export function declareResume(command: CliCommand, bind: Bind): void {
  command
    .option('--automation <name>', 'resume only this automation')
    .withJson()
    .explain({
      negative: 'nothing was paused',
      more: 'Automations that were paused one by one stay paused until each is resumed. Without --factory and --automation,\nthis applies to every factory that the token can access.',
      examples: [['dockbell resume', 'start the waiting runs, oldest first']],
    })
    .action(bind(resume));
}

async function pause(session: CommandSession, { automation, reason, json }: PauseOptions): Promise<number> {
  const pauses: Pause[] = [];
  for (const target of await listTargets(session, automation)) {
    const paused = await pauseOne(session, target, reason);
    pauses.push(paused);
    if (!json)
      session.output.line(`Paused ${describe(target)}. Runs wait until 'dockbell resume${optionsOf(target)}'.`);
  }
  if (json) session.output.json(pauses);
  return EXIT_CODES.done;
}

async function pauseOne(session: CommandSession, { factory, automation }: Target, reason: string | undefined) {
  const api = await session.api();
  const body = reason === undefined ? {} : { reason };
  if (automation === undefined) {
    return readAnswer(api.POST('/api/v1/factories/{factory}/pause', { params: { path: { factory } }, body }));
  }
  const params = { path: { factory, name: automation } };
  return readAnswer(api.POST('/api/v1/factories/{factory}/automations/{name}/pause', { params, body }));
}

async function resume(session: CommandSession, { automation, json }: PauseOptions): Promise<number> {
  const resumed: { factory: string; automation: string | null }[] = [];
  for (const target of await listTargets(session, automation)) {
    const wasPaused = await resumeOne(session, target);
    if (wasPaused) resumed.push({ factory: target.factory, automation: automation ?? null });
    if (!json)
      session.output.line(wasPaused ? `Resumed ${describe(target)}.` : `${upper(describe(target))} is not paused.`);
  }
  if (json) session.output.json(resumed);
  return resumed.length > 0 ? EXIT_CODES.done : EXIT_CODES.negative;
}

/** `false` if it was not paused. */
async function resumeOne(session: CommandSession, { factory, automation }: Target): Promise<boolean> {
  const api = await session.api();
  const { data } = await readAnswer(api.GET('/api/v1/factories/{factory}/pauses', { params: { path: { factory } } }));
  if (!data.some((paused) => paused.automation === (automation ?? null))) return false;
  if (automation === undefined) {
    await readAnswer(api.DELETE('/api/v1/factories/{factory}/pause', { params: { path: { factory } } }));
  } else {
    const params = { path: { factory, name: automation } };
    await readAnswer(api.DELETE('/api/v1/factories/{factory}/automations/{name}/pause', { params }));
  }
  return true;
}

async function listTargets(session: CommandSession, automation: string | undefined): Promise<Target[]> {
  const factories = automation === undefined ? await session.factories() : [await session.factory()];
  return factories.map((factory) => ({ factory, automation }));
}

function describe({ factory, automation }: Target): string {
  const name = escapeText(factory);
  return automation === undefined ? `factory ${name}` : `automation ${escapeText(automation)} of factory ${name}`;
}

function optionsOf({ factory, automation }: Target): string {
  const ofAutomation = automation === undefined ? '' : ` --automation ${escapeText(automation)}`;
  return ` --factory ${escapeText(factory)}${ofAutomation}`;
}

function upper(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
