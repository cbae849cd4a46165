import pc from 'picocolors';
import { formatPretty as formatDiagnostics } from '../definitions/report/format-pretty.ts';
import { escapeText } from '../words/escape-text.ts';
import {
  describeFailure,
  groupSamples,
  type SampleDecision,
  type SampleOutcome,
  type SampleReport,
  type SampleResult,
} from './sample-result.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** Samples for people: a line for each, below it the reasons where it did not pass; then findings and a summary. */
export function formatPretty(report: SampleReport): string {
  const colors = pc.createColors(report.color);
  const judged = report.samples.filter(({ outcome }) => outcome !== 'invalid');
  const blocks = [...groupSamples(judged).values()].map((samples) => formatWebhook(samples, colors));
  const notes = judged.length === 0 ? '' : formatUnjudged(report.unjudged);
  const parts = [...blocks, formatDiagnostics(report.diagnostics, report), notes].filter((part) => part !== '');
  return `${parts.map((part) => `${part}\n`).join('')}${formatSummary(report, colors)}\n`;
}

function formatWebhook(samples: readonly SampleResult[], colors: Colors): string {
  const lines = samples.flatMap((sample) => formatSample(sample, colors));
  return `${colors.bold(escapeText(samples[0]!.webhook))}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function formatSample(sample: SampleResult, colors: Colors): string[] {
  const { name, description, outcome, started } = sample;
  const starts = started.length === 0 ? 'starts nothing' : `starts ${started.map(escapeText).join(', ')}`;
  const said = outcome === 'failed' && description !== null ? colors.dim(` (${escapeText(description)})`) : '';
  const head = `${formatMark(outcome, colors)} ${escapeText(name)}: ${starts}${said}`;
  const shown = outcome === 'failed' ? sample.failures : outcome === 'reported' ? listRefusals(sample) : [];
  return [head, ...shown.map((decision) => `    ${formatDecision(decision, outcome, colors)}`)];
}

function listRefusals({ decisions }: SampleResult): SampleDecision[] {
  return decisions.filter(({ starts }) => !starts);
}

function formatMark(outcome: SampleOutcome, colors: Colors): string {
  if (outcome === 'passed') return colors.green('✓');
  return outcome === 'reported' ? colors.cyan('·') : colors.red('✗');
}

function formatDecision(decision: SampleDecision, outcome: SampleOutcome, colors: Colors): string {
  const said = outcome === 'failed' ? describeFailure(decision) : `does not start: ${decision.message}`;
  return `${colors.bold(escapeText(decision.automation))} ${escapeText(said)}`;
}

function formatUnjudged(unjudged: readonly string[]): string {
  if (unjudged.length === 0) return '';
  return `Not judged, since they select webhooks by UID, which only a running daemon knows: ${unjudged.map(escapeText).join(', ')}.\n`;
}

function formatSummary({ passed, samples, diagnostics }: SampleReport, colors: Colors): string {
  if (samples.length === 0) {
    if (diagnostics.length > 0) return colors.red('No sample was judged.');
    return 'No samples: write some as webhooks/<name>.samples/<sample>.json, or take one from a delivery with "dockbell delivery show ID --as-sample".';
  }
  const count = (wanted: SampleOutcome) => samples.filter(({ outcome }) => outcome === wanted).length;
  const counts = (['passed', 'failed', 'invalid'] as const).flatMap((outcome) =>
    count(outcome) === 0 ? [] : [`${count(outcome)} ${outcome}`],
  );
  const reported = count('reported') === 0 ? [] : [`${count('reported')} without "starts"`];
  const text = `${samples.length} ${samples.length === 1 ? 'sample' : 'samples'}: ${[...counts, ...reported].join(', ')}.`;
  return passed ? colors.green(text) : colors.red(text);
}
