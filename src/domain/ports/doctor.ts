export const FINDING_SEVERITIES = ['error', 'warning'] as const;
/** `error`: something does not work, or data can be lost. `warning`: something can fail later. */
export type FindingSeverity = (typeof FINDING_SEVERITIES)[number];

/** Something that an operator has to look at. */
export interface Finding {
  severity: FindingSeverity;
  /** Name of the check. */
  check: string;
  message: string;
  /** What to do. */
  hint: string;
}

export interface DoctorReport {
  /** Names of the checks that ran, in their order. */
  checks: string[];
  findings: Finding[];
}

/** Examines a running daemon. */
export interface Doctor {
  examine(): Promise<DoctorReport>;
}
