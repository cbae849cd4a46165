import pc from 'picocolors';
import { escapeText } from '../../domain/words/escape-text.ts';
import { countOf } from '../../domain/words/quantities.ts';
import { formatPretty as formatDiagnostics } from '../report/format-pretty.ts';
import {
  describeFailure,
  groupSamples,
  type SampleDecision,
  type SampleOutcome,
  type SampleReport,
  type SampleResult,
} from './sample-result.ts';

type Colors = ReturnType<typeof pc.createColors>;

/** Samples for people: a line per sample, with the reasons if it did not pass; then diagnostics and a summary. */
export function formatPretty(report: SampleReport): string {
  const colors = pc.createColors(report.color);
  const evaluated = report.samples.filter(({ outcome }) => outcome !== 'invalid');
  const blocks = [...groupSamples(evaluated)].map(([webhook, samples]) => formatWebhook(webhook, samples, colors));
  const notes = evaluated.length === 0 ? '' : formatNotEvaluated(report.unjudged);
  const parts = [...blocks, formatDiagnostics(report.diagnostics, report), notes].filter((part) => part !== '');
  return `${parts.map((part) => `${part}\n`).join('')}${formatSummary(report, colors)}\n`;
}

function formatWebhook(webhook: string, samples: readonly SampleResult[], colors: Colors): string {
  const lines = samples.flatMap((sample) => formatSample(sample, colors));
  return `${colors.bold(escapeText(webhook))}\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function formatSample(sample: SampleResult, colors: Colors): string[] {
  const { name, description, outcome, started } = sample;
  const starts = started.length === 0 ? 'starts nothing' : `starts ${started.map(escapeText).join(', ')}`;
  const said = outcome === 'failed' && description !== null ? colors.dim(` (${escapeText(description)})`) : '';
  const head = `${formatMark(outcome, colors)} ${escapeText(name)}: ${starts}${said}`;
  const shown = outcome === 'failed' ? sample.failures : outcome === 'reported' ? listNotStarted(sample) : [];
  return [head, ...shown.map((decision) => `    ${formatDecision(decision, outcome, colors)}`)];
}

function listNotStarted({ decisions }: SampleResult): SampleDecision[] {
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

function formatNotEvaluated(unjudged: readonly string[]): string {
  if (unjudged.length === 0) return '';
  return `Not evaluated, because they select webhooks by UID, which only a running daemon knows: ${unjudged.map(escapeText).join(', ')}.\n`;
}

function formatSummary({ passed, samples, diagnostics }: SampleReport, colors: Colors): string {
  if (samples.length === 0) {
    if (diagnostics.length > 0) return colors.red('No sample was evaluated.');
    return 'No samples found. Add webhooks/<name>.samples/<sample>.json, or create a sample from a delivery with "dockbell delivery show ID --as-sample".';
  }
  const count = (wanted: SampleOutcome) => samples.filter(({ outcome }) => outcome === wanted).length;
  const counts = (['passed', 'failed', 'invalid'] as const).flatMap((outcome) =>
    count(outcome) === 0 ? [] : [`${count(outcome)} ${outcome}`],
  );
  const reported = count('reported') === 0 ? [] : [`${count('reported')} without "starts"`];
  const text = `${countOf(samples.length, 'sample')}: ${[...counts, ...reported].join(', ')}.`;
  return passed ? colors.green(text) : colors.red(text);
}
