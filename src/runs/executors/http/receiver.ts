import type { Dispatcher } from 'undici';
import type { HttpSettings } from '../../../config/executors/http-kind.ts';
import type { Backoff } from '../../../domain/time/backoff.ts';
import type { ExecutorParts } from '../executor-parts.ts';
import type { ReceiverCircuit } from './receiver-circuit.ts';
import type { ReportTokens } from './report-tokens.ts';

export interface HttpTiming {
  /** Pauses between the requests of an attempt. */
  backoff: Backoff;
  /** A run whose request the receiver has held for this time is being executed. */
  executingAfterMs: number;
}

/** What all attempts of a factory share. */
export interface Receiver {
  timing: HttpTiming;
  settings: HttpSettings;
  parts: ExecutorParts;
  userAgent: string;
  connections: Dispatcher;
  circuit: ReceiverCircuit;
  reports: ReportTokens;
}
