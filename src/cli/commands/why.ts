import type { Story } from '../../client/api-types.ts';
import { RequestFailed, readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { printStory } from '../output/print-story.ts';

/** `dockbell why REF`: what happened to an object, in order, and the deciding fact. */
export function declareWhy(why: CliCommand, bind: Bind): void {
  why
    .argument(
      '<ref>',
      "a delivery, run, reconciliation or webhook: its ID, a unique prefix of the ID with at least 6 characters after dlv_, run_, rec_ or wh_; the name of a webhook, an automation or a secret; a commit; the sender's delivery ID; or last for the most recent delivery",
    )
    .option('--all', 'list everything that the story sums up, such as the automations that did not start')
    .withJson()
    .explain({
      negative: 'nothing matches (the message lists similar names and IDs)',
      more: 'If a name stands for several objects, use webhook:NAME, automation:NAME, secret:NAME or commit:REVISION, and --factory.',
      examples: [
        [
          'dockbell why 72d3162e-cc78-11ee-81ab-4c9367dc0958',
          'a delivery by the ID at the sender: what did it start, and why not?',
        ],
        ['dockbell why last --all', 'every automation that the last delivery did not start, with the reason'],
        ['dockbell why run_01jd3v8k6n', 'why does a run wait, or why did it fail?'],
        ['dockbell why github', 'why do senders of a webhook get 401, 404 or 429?'],
        ['dockbell why triage', 'why does an automation start nothing, and who changed it?'],
        ['dockbell why 4f2a91c', 'is a commit live, what did it change, and which runs did it start?'],
        ['dockbell why GITHUB_WEBHOOK_SECRET', 'who rotated a secret?'],
      ],
    })
    .action(bind(explainObject));
}

interface WhyOptions {
  all?: boolean;
  json?: boolean;
}

async function explainObject(session: CommandSession, { all, json }: WhyOptions, ref: string): Promise<number> {
  const story = await readStory(session, { ref, all });
  if (json) session.output.json(story);
  else printStory(session.output, story);
  return EXIT_CODES.done;
}

async function readStory(
  session: CommandSession,
  { ref, all }: { ref: string; all: boolean | undefined },
): Promise<Story> {
  const api = await session.api();
  const { factory } = session.globals;
  try {
    return await readAnswer(api.GET('/api/v1/why/{ref}', { params: { path: { ref }, query: { factory, all } } }));
  } catch (error) {
    throw error instanceof RequestFailed ? (explainMiss(error) ?? error) : error;
  }
}

/** The exact forms of several matches, or similar names; `null` for another failure. */
function explainMiss({ problem }: RequestFailed): CliError | null {
  const { status, candidates, detail } = problem;
  if (candidates === undefined || (status !== 404 && status !== 409)) return null;
  const lines = candidates.map(({ ref, factory, text }) => {
    const option = factory === null ? '' : ` --factory ${escapeText(factory)}`;
    return `  dockbell why ${escapeText(ref)}${option}  # ${escapeText(text)}`;
  });
  if (status === 409) {
    return new CliError(escapeText(detail), { code: 'ambiguous', hint: ['Use one of:', ...lines].join('\n') });
  }
  const hint =
    lines.length === 0
      ? "See 'dockbell delivery list' and 'dockbell run list'."
      : ['Did you mean:', ...lines].join('\n');
  return new CliError(escapeText(detail), { code: 'not_found', hint });
}
