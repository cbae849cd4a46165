import { describe, expect, it } from 'vitest';
import { EXECUTORS } from '../../src/config/executors/executors.ts';
import { WAIT_REASONS } from '../../src/domain/ports/run-control.ts';
import type { RunInput } from '../../src/domain/resources/run.ts';
import { CONTEXT_FIELDS } from '../../src/domain/runs/run-context.ts';
import { renderRunDocuments } from '../../src/runs/envelope.ts';
import { buildRunEnvironment } from '../../src/runs/executors/command/run-environment.ts';
import { readRunContext } from '../../src/runs/read-context.ts';
import { expectGenerated, readFirstColumn, renderTable } from '../helpers/documents.ts';

const PAGE = 'docs/reference/runs.md';

const INPUT: RunInput = {
  run: {
    id: 'run_01m7yj32yre0ypze8bxjzjg667',
    factory: 'payments',
    automation: 'triage-build-failure',
    delivery: 'dlv_01m7yj32yre0ypze8bxjzjg666',
    webhookUid: 'wh_kt4y07vv0p5z98a9bb8rvsyxtr',
    deliveryIdentity: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    state: 'running',
    attempt: 1,
    executor: 'command',
    revision: 'f8655a5480a4f17f55a5adecbcd8e6e2f4393005',
    error: null,
    exitCode: null,
    createdAt: 1_795_248_196_573,
    startedAt: 1_795_248_196_580,
    finishedAt: null,
    output: null,
    gate: null,
    concurrencyKey: null,
    runsOn: null,
    supersededBy: null,
    notBefore: null,
    traceContext: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01 vendor=x',
  },
  webhook: { name: 'github', uid: 'wh_kt4y07vv0p5z98a9bb8rvsyxtr' },
  prompt: 'A build has failed. Find out which step broke it, and say in three sentences what to do.\n',
  agent: null,
  workspace: { ref: 'main' },
  overrides: { secrets: ['ISSUE_TRACKER_TOKEN'] },
  event: 'check_suite.completed',
  origin: {
    webhook: { serves: null, signatureScheme: 'github' },
    headers: { 'x-github-event': 'check_suite' },
    filters: [
      { trigger: { provider: 'github', event: 'check_suite_completed', filter: { conclusions: ['failure'] } } },
    ],
  },
  standsFor: {
    count: 1,
    deliveries: [
      {
        delivery: 'dlv_01m7yj32yre0ypze8bxjzjg665',
        deliveryIdentity: '6a1e0b5c-cc78-11e3-9c0d-8a1c2c1d8a11',
        run: 'run_01m7yj32yre0ypze8bxjzjg664',
      },
    ],
  },
  queuedAt: 1_795_248_196_573,
  payload: new TextEncoder().encode(
    JSON.stringify({
      action: 'completed',
      check_suite: {
        conclusion: 'failure',
        head_sha: '6113728f27ae82c7b1a177c8d03f9e96e0adf246',
        pull_requests: [{ number: 42 }],
      },
      repository: { full_name: 'acme/payments', html_url: 'https://github.com/acme/payments' },
      sender: { login: 'ann' },
    }),
  ),
};

const CONTEXT = readRunContext(INPUT);

const MEANINGS: Readonly<Record<string, string>> = {
  PATH: 'the `PATH` of the daemon',
  HOME: "the run's directory, which is also the working directory",
  TMPDIR: 'a directory that is deleted at the end of the attempt',
  LANG: '`C.UTF-8`',
  DOCKBELL_RUN_ID: 'ID of the run',
  DOCKBELL_FACTORY: 'name of the factory',
  DOCKBELL_AUTOMATION: 'name of the automation',
  DOCKBELL_WEBHOOK: 'name of the webhook',
  DOCKBELL_WEBHOOK_UID: 'UID of the webhook',
  DOCKBELL_DELIVERY_ID: "the sender's ID of the delivery, as it was received",
  DOCKBELL_EVENT: 'the name of the event, such as `pull_request.opened`; empty if it is not known',
  DOCKBELL_PAYLOAD: 'absolute path of `event-payload.json`',
  ...Object.fromEntries(
    Object.values(CONTEXT_FIELDS).map(({ variable, description }) => [variable, describeVariable(description)]),
  ),
  DOCKBELL_WORKSPACE: 'absolute path of the checkout, if the automation declares `workspace`',
  TRACEPARENT: 'W3C trace context of the attempt; not set if the delivery [is not traced](../operations/tracing.md)',
  TRACESTATE: 'trace state of the sender; not set if there is none',
};

/** As the other rows of the table. */
function describeVariable(description: string): string {
  return `${description[0]!.toLowerCase()}${description.slice(1, -1)}`;
}

describe('docs/reference/runs.md', () => {
  it('shows the exact files of a run', () => {
    const { promptFile, runFile } = renderRunDocuments(INPUT, CONTEXT);
    expectGenerated(PAGE, 'prompt.md', `\n\`\`\`\`markdown\n${promptFile}\`\`\`\`\n\n`);
    expectGenerated(PAGE, 'run.json', `\n\`\`\`json\n${runFile}\`\`\`\n\n`);
  });

  it('lists the complete environment of a run', () => {
    const places = { work: '/w', temporary: '/t', payload: '/w/event-payload.json', workspace: '/w/workspace' };
    const built = buildRunEnvironment({ input: INPUT, context: CONTEXT, secrets: new Map() }, places, '/bin');
    const environment = built.ok ? built.environment : {};
    const set = Object.keys(environment).filter((name) => environment[name] !== undefined);
    const rows = set.map((name) => [`\`${name}\``, MEANINGS[name] ?? '?']);
    expectGenerated(PAGE, 'environment', `\n${renderTable(['variable', 'value'], rows)}\n`);
  });

  it('lists the executors', () => {
    const lines = Object.values(EXECUTORS).map(({ summary }) => `- ${summary}\n`);
    expectGenerated(PAGE, 'executors', `\n${lines.join('')}\n`);
  });

  it('explains every reason why a run waits', () => {
    expect(readFirstColumn(PAGE, 'wait reasons').sort()).toEqual([...WAIT_REASONS].sort());
  });
});
