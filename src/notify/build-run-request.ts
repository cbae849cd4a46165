import type { Json } from '../core/json.ts';
import type { RunReport } from '../core/notice.ts';
import { presentFields } from '../core/resources/fields.ts';
import { RUN_FIELDS } from '../core/resources/run.ts';
import { formatInstant } from '../core/time/clock.ts';
import { cutText } from './describe-report.ts';
import type { NotifyTarget } from './notify-target.ts';

/** Hosts reject longer comments: GitHub at 65,536 characters. `result.json` is much smaller. */
const MAX_COMMENT = 30_000;

/** One line for a commit status. */
export function describeRun({ run }: RunReport, maxLength: number): string {
  const [line] = (run.output?.summary ?? '').split('\n');
  const ending = run.state === 'succeeded' ? 'succeeded' : `${run.state}: ${run.error ?? 'no reason'}`;
  return cutText(line === undefined || line.trim() === '' ? ending : line.trim(), maxLength);
}

/** Name of the commit status: each automation has its own. */
export function nameContext({ context }: NotifyTarget, { run }: RunReport): string {
  return `${context}/${run.automation}`;
}

/** The Markdown of a comment. The first line lets tools find it. */
export function composeComment({ run }: RunReport): string {
  const { summary, links } = run.output!;
  const listed = links.map(
    ({ title, url }) => `- [${escapeTitle(title)}](<${url.replace(/[<>]/g, encodeURIComponent)}>)`,
  );
  const text = [
    `<!-- dockbell ${run.id} -->`,
    `**${escapeTitle(run.automation)}** ${run.state}`,
    summary === null ? '' : `\n${quietMentions(summary)}`,
    listed.length === 0 ? '' : `\n${listed.join('\n')}`,
  ];
  return cutText(text.filter((part) => part !== '').join('\n'), MAX_COMMENT);
}

/** A summary follows from a payload, so it must not notify people: `@team` is shown as it is and reaches nobody. */
function quietMentions(text: string): string {
  return text.replace(/@(?=[\w-])/g, '@\u200b');
}

function escapeTitle(text: string): string {
  return quietMentions(text.replace(/[\\`*_[\]<>()]/g, '\\$&').replace(/\s+/g, ' '));
}

/** The body of a signed callback. */
export function composeCallback({ run, finishedAt }: RunReport): Json {
  return {
    type: `run.${run.state}`,
    timestamp: formatInstant(finishedAt),
    data: { run: presentFields(RUN_FIELDS, run) as unknown as Json },
  };
}
