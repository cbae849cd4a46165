// Starts a workflow of GitHub Actions for a run: dispatch.mjs API_URL OWNER/REPOSITORY EVENT_TYPE.
// Standard input is the prompt. The token is in the environment, so that it is in no list of processes.
import { readFileSync } from 'node:fs';

/** The run is not retried: another attempt would fail too. */
const NO_RETRY = 78;
/** GitHub rejects larger requests. */
const MAX_PAYLOAD_BYTES = 50_000;

const [apiUrl, repository, eventType] = process.argv.slice(2);
const { DOCKBELL_RUN_ID, DOCKBELL_AUTOMATION, DOCKBELL_DELIVERY_ID, GITHUB_DISPATCH_TOKEN } = process.env;

// The workflow gets the delivery as data: it has to pass it to programs as a file or a variable, never as a part of a script.
const payload = readFileSync(process.env.DOCKBELL_PAYLOAD, 'utf8');
const fits = Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES;
const body = {
  event_type: eventType,
  client_payload: {
    run_id: DOCKBELL_RUN_ID,
    automation: DOCKBELL_AUTOMATION,
    delivery_id: DOCKBELL_DELIVERY_ID,
    prompt: readFileSync(0, 'utf8'),
    payload: fits ? JSON.parse(payload) : null,
  },
};

const response = await fetch(`${apiUrl}/repos/${repository}/dispatches`, {
  method: 'POST',
  headers: {
    Accept: 'application/vnd.github+json',
    Authorization: `Bearer ${GITHUB_DISPATCH_TOKEN}`,
    'Content-Type': 'application/json',
    'User-Agent': 'dockbell-example',
    'X-GitHub-Api-Version': '2022-11-28',
  },
  body: JSON.stringify(body),
  signal: AbortSignal.timeout(30_000),
});
const isRejected = response.status >= 400 && response.status < 500 && response.status !== 429;
console.log(`${repository}: ${eventType} got ${response.status} ${(await response.text()).slice(0, 500)}`);
if (!fits) console.log(`the payload has more than ${MAX_PAYLOAD_BYTES} bytes and was not sent`);
process.exitCode = response.ok ? 0 : isRejected ? NO_RETRY : 1;
