import { readDocument } from './documents.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** Seconds that the daemon needs to stop by default: `drain`, then `shutdownGrace`. A service manager must wait longer. */
export function readStopSeconds(): number {
  const { properties } = JSON.parse(readDocument('schemas/config.schema.json')) as {
    properties: Record<string, { default: string }>;
  };
  return ['drain', 'shutdownGrace'].reduce((sum, key) => sum + readSeconds(properties[key]!.default), 0);
}

function readSeconds(duration: string): number {
  return Number.parseInt(duration, 10) * UNITS[duration.at(-1)!]!;
}
