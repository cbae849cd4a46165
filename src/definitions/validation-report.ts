import type { Diagnostic } from '../core/diagnostic.ts';

/** All that a report of a validation can show. */
export interface ValidationReport {
  /** Does the tree pass? Without `--strict` warnings do. */
  valid: boolean;
  /** In the order of `compareDiagnostics`. */
  diagnostics: readonly Diagnostic[];
  /** Names that the tree declares. */
  webhooks: readonly string[];
  automations: readonly string[];
  /** The folder that `file` of a diagnostic is relative to. */
  root: string;
  /** `file` of a diagnostic → text of that file, for excerpts. Files that are missing here get none. */
  sources: ReadonlyMap<string, string>;
  /** Are colours wanted? */
  color: boolean;
}
