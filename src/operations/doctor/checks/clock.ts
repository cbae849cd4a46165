import { statSync } from 'node:fs';
import { formatInstant } from '../../../domain/time/clock.ts';
import type { Check, Patient, Symptom } from '../patient.ts';

const TOLERANCE_MS = 60_000;
const HINT = 'Correct the system clock, and synchronize it (NTP). Signatures with a timestamp are checked with it.';
const CLOCK_CONDITIONS: readonly string[] = ['ClockStepped', 'RetentionDelayed'];

/** Is the system clock right? A running daemon knows whether it was set; the files of a stopped one say when it ran. */
export const clockCheck: Check = {
  name: 'clock',
  run: (patient) => [...listConditions(patient), ...compareWithFiles(patient)],
};

function listConditions({ running }: Patient): Symptom[] {
  const found = running?.conditions().filter(({ type }) => CLOCK_CONDITIONS.includes(type)) ?? [];
  return found.map(({ message }) => ({ severity: 'warning', message, hint: HINT }));
}

function compareWithFiles({ config, paths, nowMs }: Patient): Symptom[] {
  if (config.storage.type === 'postgres') return [];
  const files = [paths.database, `${paths.database}-wal`].map((file) => statSync(file, { throwIfNoEntry: false }));
  const writtenMs = Math.max(...files.map((file) => file?.mtimeMs ?? 0));
  if (writtenMs <= nowMs + TOLERANCE_MS) return [];
  const message = `the system clock is at ${formatInstant(nowMs)}, but the database was written at ${formatInstant(writtenMs)}`;
  return [{ severity: 'error', message, hint: HINT }];
}
