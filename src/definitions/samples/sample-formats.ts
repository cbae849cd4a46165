import { formatJunit } from './format-junit.ts';
import { formatPretty } from './format-pretty.ts';
import type { SampleReport } from './sample-result.ts';

/** The formats of `dockbell test --format`, by name. Each ends with a line break. */
export const SAMPLE_FORMATS = {
  pretty: formatPretty,
  json: formatJson,
  junit: formatJunit,
} as const satisfies { [format: string]: (report: SampleReport) => string };

export type SampleFormat = keyof typeof SAMPLE_FORMATS;

/** The document of `dockbell test --format json`. */
function formatJson({ passed, root, samples, unjudged, diagnostics }: SampleReport): string {
  return `${JSON.stringify({ passed, root, samples, unjudged, diagnostics }, null, 2)}\n`;
}
