import type { Json } from '../../domain/json.ts';
import type { RunReport } from '../../domain/messages/notice.ts';
import { presentFields } from '../../domain/resources/fields.ts';
import { RUN_FIELDS } from '../../domain/resources/run.ts';
import { formatInstant } from '../../domain/time/clock.ts';
import {
  composePosted,
  linkMarkdown,
  markComment,
  plainMarkdown,
  quietLine,
  quietMarkdown,
} from '../../domain/words/posted-markdown.ts';
import { cutText } from './describe-report.ts';
import type { NotifyTarget } from './notify-target.ts';

/** Hosts reject longer comments: GitHub at 65,536 characters. `result.json` is much smaller. */
const MAX_COMMENT = 30_000;

/** One line for a commit status. */
export function describeRun({ run }: RunReport, maxLength: number): string {
  const [line] = (run.output?.summary ?? '').split('\n');
  const ending = run.state === 'succeeded' ? 'succeeded' : `${run.state}: ${run.error ?? 'no reason'}`;
  return cutText(quietLine(line === undefined || line.trim() === '' ? ending : line.trim()), maxLength);
}

/** Name of the commit status: each automation has its own. */
export function nameContext({ context }: NotifyTarget, { run }: RunReport): string {
  return `${context}/${run.automation}`;
}

/** A comment. Its first line lets tools find it. */
export function composeComment({ run }: RunReport): string {
  const { summary, links } = run.output!;
  const text = [
    `**${plainMarkdown(run.automation)}** ${run.state}`,
    summary === null ? '' : `\n${quietMarkdown(summary)}`,
    links.length === 0 ? '' : `\n${links.map((link) => `- ${linkMarkdown(link)}`).join('\n')}`,
  ];
  return cutText(
    composePosted(markComment(`dockbell ${run.id}`), text.filter((part) => part !== '').join('\n')),
    MAX_COMMENT,
  );
}

/** The body of a signed callback. */
export function composeCallback({ run, finishedAt }: RunReport): Json {
  return {
    type: `run.${run.state}`,
    timestamp: formatInstant(finishedAt),
    data: { run: presentFields(RUN_FIELDS, run) as unknown as Json },
  };
}
