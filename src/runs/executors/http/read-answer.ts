import type { Json } from '../../../domain/json.ts';
import { isJsonObject } from '../../../domain/json.ts';
import type { RunResult } from '../../../domain/resources/run.ts';
import { explainUnknownExitCode, readExitCode } from '../../../domain/runs/exit-code.ts';
import { readReportedOutput } from '../../../domain/runs/run-output.ts';
import { discardBody, type OutboundResponse, readBeginning } from '../../../outbound/send-post.ts';
import { failed } from '../attempt-results.ts';
import { LOG_LIMIT_BYTES } from '../log/log-sink.ts';
import type { AttemptLog } from './attempt-log.ts';

/** Size limit of an answer that contains a result. */
const MAX_RESULT_BYTES = 1_048_576;
/** The beginning of the body of a rejection, for the log. */
const MAX_REJECTION_BYTES = 65_536;

const SUCCEEDED: RunResult = { state: 'succeeded', error: null, exitCode: null };

/**
 * The result of a run from a response with a 2xx status. A JSON object with `state` is the result, and its `log` is the log.
 * Every other body is the log of a run that succeeded.
 */
export async function readAnswer(response: OutboundResponse, log: AttemptLog): Promise<RunResult> {
  if (!isJsonBody(response)) {
    await copyToLog(response.body, log);
    return SUCCEEDED;
  }
  const text = await readText(response);
  if (text === null) {
    return failed(`the answer of the receiver is longer than ${MAX_RESULT_BYTES} bytes; send a long log as plain text`);
  }
  const result = await readResult(text, log);
  if (result === null) await log.write(text);
  return result ?? SUCCEEDED;
}

/** The result that a response with a 2xx status contains; `null` for 202 and any other body, which is discarded. */
export async function readResultIfAny(response: OutboundResponse, log: AttemptLog): Promise<RunResult | null> {
  if (response.status === 202 || !isJsonBody(response)) {
    await discardBody(response.body);
    return null;
  }
  const text = await readText(response);
  return text === null ? null : readResult(text, log);
}

/** `null` if it is too long. */
async function readText({ body }: OutboundResponse): Promise<string | null> {
  const bytes = await readBeginning(body, MAX_RESULT_BYTES + 1);
  return bytes.length > MAX_RESULT_BYTES ? null : bytes.toString('utf8');
}

/** A JSON object with `state` is a result, and its `log` is the log; `null` for everything else. */
async function readResult(text: string, log: AttemptLog): Promise<RunResult | null> {
  const answer = parseObject(text);
  if (answer === null || answer.state === undefined) return null;
  if (typeof answer.log === 'string') await log.write(answer.log);
  const unknown = explainUnknownExitCode(answer.exit_code);
  if (unknown !== null) await log.write(`\n${unknown}\n`);
  // What a command writes to result.json.
  const output = answer.result === undefined ? {} : { output: readReportedOutput(answer.result) };
  return { ...describeResult(answer), ...output };
}

/** Adds what the receiver says about a rejected request to the log. */
export async function logRejection({ body }: OutboundResponse, log: AttemptLog): Promise<void> {
  const text = await readBeginning(body, MAX_REJECTION_BYTES).catch(() => Buffer.alloc(0));
  if (text.length > 0) await log.write(text);
}

function isJsonBody({ headers }: OutboundResponse): boolean {
  const type = headers['content-type'];
  return typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
}

/** The log can be read while it grows. Ends the connection when the log is full. */
async function copyToLog(body: AsyncIterable<Uint8Array>, log: AttemptLog): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    await log.write(chunk);
    size += chunk.length;
    if (size > LOG_LIMIT_BYTES) return;
  }
}

function parseObject(text: string): { [key: string]: Json } | null {
  try {
    const value: Json = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function describeResult({ state, error, exit_code: exitCode }: { [key: string]: Json }): RunResult {
  const code = readExitCode(exitCode);
  if (state === 'succeeded') return { ...SUCCEEDED, exitCode: code };
  if (state !== 'failed') return failed('the state in the answer of the receiver is neither "succeeded" nor "failed"');
  const text = typeof error === 'string' ? error.trim() : '';
  const noReason = explainUnknownExitCode(exitCode) ?? 'the receiver reported a failure without a reason';
  const unexplained = code === null ? noReason : `exit code ${code}`;
  return failed(text === '' ? unexplained : text, code);
}
