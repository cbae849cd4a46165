import type { SampleReport } from './sample-result.ts';

/** The document of `dockbell test --format json`. */
export function formatJson({ passed, root, samples, unjudged, diagnostics }: SampleReport): string {
  return `${JSON.stringify({ passed, root, samples, unjudged, diagnostics }, null, 2)}\n`;
}
