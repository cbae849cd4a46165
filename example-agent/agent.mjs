#!/usr/bin/env node
// Replaces a real agent in the demo. It gets the prompt on standard input and the payload as a file, and prints a result.
// A real agent gets the same input: see docs/reference/runs.md.
import { readFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
const payload = readFileSync(process.env.DOCKBELL_PAYLOAD, 'utf8');
const task = prompt.split('\n').find((line) => line.trim() !== '') ?? '(no prompt)';

process.stdout.write(`automation ${process.env.DOCKBELL_AUTOMATION}, started by ${describeCause(process.env)}\n`);
process.stdout.write(`task: ${task}\n`);
process.stdout.write(`payload: ${Buffer.byteLength(payload)} bytes, keys: ${describeKeys(payload)}\n`);

function describeKeys(text) {
  const value = JSON.parse(text);
  return value !== null && typeof value === 'object' ? Object.keys(value).join(', ') : typeof value;
}

/** Runs of provider triggers and schedules have the event in their environment. */
function describeCause({ DOCKBELL_PROVIDER, DOCKBELL_TRIGGER_EVENT, DOCKBELL_WEBHOOK, DOCKBELL_URL }) {
  if (DOCKBELL_TRIGGER_EVENT === undefined) return `webhook ${DOCKBELL_WEBHOOK}`;
  const event = `${DOCKBELL_PROVIDER} ${DOCKBELL_TRIGGER_EVENT}`;
  return DOCKBELL_URL === undefined ? event : `${event}, ${DOCKBELL_URL}`;
}
