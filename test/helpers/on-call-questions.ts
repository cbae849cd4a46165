import type { OnCallWorld } from './on-call-world.ts';

/** A question of the person on call, and the one command and the one page that answer it. */
export interface OnCallQuestion {
  question: string;
  /** The command, as the documentation shows it. */
  command: string;
  /** The page of the dashboard, as the documentation names it. */
  page: string;
  /** What the answer says. */
  fact: string;
  /** The arguments of the command. */
  ask(world: OnCallWorld): string[];
  /** What the output of the command contains. */
  answer(world: OnCallWorld): RegExp[];
  /** What the page shows, if its words differ from those of the command. */
  shown?(world: OnCallWorld): RegExp[];
  /** The tab of the page with the answer. */
  tab?: string;
  /** The address of the page below the factory, or from the root. */
  address(world: OnCallWorld): string;
  /** The request of the management API whose answer the page renders. */
  request(world: OnCallWorld): string;
}

const INSTANT = String.raw`20\d\d-\d\d-\d\dT[\d:.]+Z`;
const why = (ref: string) => `/why/${encodeURIComponent(ref)}`;

type Parts = Omit<OnCallQuestion, 'request' | 'ask' | 'address'> & {
  ref(world: OnCallWorld): string;
  address(world: OnCallWorld): string;
};

/** A question that `dockbell why` and a page with the same story answer. */
function askWhy({ ref, ...parts }: Parts): OnCallQuestion {
  return { ...parts, ask: (world) => ['why', ref(world)], request: (world) => why(ref(world)) };
}

export const ON_CALL_QUESTIONS: readonly OnCallQuestion[] = [
  askWhy({
    question: 'Why did nothing run for this event of the provider?',
    command: 'dockbell why DELIVERY_ID',
    page: 'Delivery',
    fact: 'each automation with the key that decided, its value, and the expected one',
    ref: () => 'guid-nothing',
    address: ({ deliveries }) => `deliveries/${deliveries.nothing}`,
    answer: () => [/started nothing\. pr did not start: action is "edited", expected "opened"/],
  }),
  askWhy({
    question: 'Which commit changed this filter, and what was it before?',
    command: 'dockbell why AUTOMATION',
    page: 'Automation',
    fact: 'the commits with author and subject, and the changed lines',
    ref: () => 'pr',
    address: () => 'automations/pr',
    answer: () => [
      /last changed \(triggers\) at \S+ in commit [0-9a-f]{8} by Mallory \("Start on everything"\)/,
      /edited/,
    ],
  }),
  askWhy({
    question: 'Who rotated the secret?',
    command: 'dockbell why SECRET',
    page: 'Secret',
    fact: 'who stored each version, and when',
    ref: () => 'GH',
    address: () => '/secrets/GH',
    answer: () => [new RegExp(`GH was last rotated at ${INSTANT} by alice-laptop: version 2`)],
  }),
  askWhy({
    question: 'Why do senders get 401 since yesterday?',
    command: 'dockbell why WEBHOOK',
    page: 'Webhook',
    fact: 'since when, the version of the secret that the sender uses, and who replaced it when',
    ref: () => 'gh',
    address: ({ uids }) => `webhooks/${uids.gh}`,
    answer: () => [
      /1 request failed to authenticate since/,
      new RegExp(`version 1 of GH, replaced ${INSTANT} by alice-laptop; the webhook checks version 2`),
    ],
  }),
  askWhy({
    question: 'Why did the run start twice?',
    command: 'dockbell why DELIVERY_ID',
    page: 'Delivery',
    fact: 'the replays with their author, and the retries of each run',
    ref: () => 'twice',
    address: ({ deliveries }) => `deliveries/${deliveries.original}`,
    answer: () => [/It was replayed once by carol, which started 1 more run/],
  }),
  askWhy({
    question: 'Why is this delivery a duplicate?',
    command: 'dockbell why DELIVERY',
    page: 'Delivery',
    fact: 'the accepted delivery, and whether the body differed',
    ref: ({ deliveries }) => deliveries.swallowed,
    address: ({ deliveries }) => `deliveries/${deliveries.swallowed}`,
    answer: ({ deliveries }) => [
      new RegExp(`Duplicate of ${deliveries.original}, although its body differs`),
      /with another body\. The sender used one ID twice/,
    ],
  }),
  askWhy({
    question: 'Why is this run queued?',
    command: 'dockbell why RUN',
    page: 'Run',
    fact: 'the limit that is reached, and the position in the queue',
    ref: ({ runs }) => runs.queued,
    address: ({ runs }) => `runs/${runs.queued}`,
    answer: () => [/is queued\. runs\.concurrency is reached: 2 of 2 slots are in use\. Position 1 in the queue/],
  }),
  askWhy({
    question: 'Why did this run fail?',
    command: 'dockbell why RUN',
    page: 'Run',
    fact: 'how the attempt ended, and what to do',
    ref: ({ runs }) => runs.interrupted,
    address: ({ runs }) => `runs/${runs.interrupted}`,
    answer: () => [
      /The daemon stopped or crashed during the attempt; after a stop, the last line of the log has the reason\. Check what the run already changed, then retry it/,
    ],
  }),
  askWhy({
    question: 'Why do senders get 404?',
    command: 'dockbell why WEBHOOK',
    page: 'Webhook',
    fact: 'whether the webhook is disabled, deleted or not configured, and the commit that did it',
    ref: () => 'webhook:off',
    address: ({ uids }) => `webhooks/${uids.off}`,
    answer: () => [/off is disabled: senders get 404\. It was disabled in commit [0-9a-f]{8} by Eve/],
  }),
  askWhy({
    question: 'Why is my commit not live?',
    command: 'dockbell why COMMIT',
    page: 'Reconciliation',
    fact: 'the error with its file and line, and the commit that stays live',
    ref: ({ commits }) => commits.broken.slice(0, 10),
    address: ({ reconciliation }) => `reconciliations/${reconciliation}`,
    answer: () => [
      /by Frank \("Add a webhook"\) is not live/,
      /webhooks\/new\.yaml:1:1 The required key "secretName" is missing/,
    ],
    shown: () => [
      /Add a webhook by Frank/,
      /The previous definition stays live/,
      /webhooks\/new\.yaml:1:1/,
      /The required key "secretName" is missing/,
    ],
  }),
  askWhy({
    question: 'Which commit was live for this delivery?',
    command: 'dockbell why DELIVERY_ID',
    page: 'Delivery',
    fact: 'the commit with author and subject',
    ref: () => 'guid-nothing',
    address: ({ deliveries }) => `deliveries/${deliveries.nothing}`,
    answer: ({ commits }) => [new RegExp(commits.first.slice(0, 12)), /Add the webhooks\W+Alice/],
    shown: ({ commits }) => [new RegExp(commits.first.slice(0, 8)), /Add the webhooks by Alice/],
  }),
  askWhy({
    question: 'Did senders get 429, and at which webhook?',
    command: 'dockbell why WEBHOOK',
    page: 'Webhook',
    fact: 'the number of requests that got 429, and the limit',
    ref: () => 'busy',
    address: ({ uids }) => `webhooks/${uids.busy}`,
    answer: () => [/3 requests got 429/, /limits\.deliveriesPerMinute/],
  }),
  {
    question: 'What arrived between 2 and 3 at night, at all webhooks?',
    command: 'dockbell delivery list --from 2026-01-31T02:00:00Z --to 2026-01-31T03:00:00Z',
    page: 'Deliveries',
    fact: 'the deliveries of all webhooks in that time',
    ask: ({ night: { from, to } }) => ['delivery', 'list', '--from', from, '--to', to],
    request: ({ night: { from, to } }) => `/factories/pay/deliveries?from=${from}&to=${to}`,
    address: ({ night: { from, to } }) => `deliveries?from=${from}&to=${to}`,
    answer: ({ deliveries }) => [
      new RegExp(deliveries.original),
      new RegExp(deliveries.swallowed),
      /^(?![\s\S]*guid-)/,
    ],
    shown: () => [/interrupted/, /twice/, /^(?![\s\S]*guid-)/],
  },
  askWhy({
    question: 'Why has this automation never started?',
    command: 'dockbell why AUTOMATION',
    page: 'Automation',
    fact: 'the key of its filter that no delivery has',
    ref: () => 'typo',
    address: () => 'automations/typo',
    answer: () => [/typo has no runs\. The filter asks for the key actoin, which none of the 2 recent deliveries has/],
  }),
  askWhy({
    question: 'Who deleted this webhook?',
    command: 'dockbell why WEBHOOK',
    page: 'Webhook',
    fact: 'the commit that deleted it, with its author',
    ref: () => 'z',
    address: ({ uids }) => `webhooks/${uids.z}`,
    answer: () => [
      /z was deleted at \S+: senders get 404\. It was deleted in commit [0-9a-f]{8} by Eve \("Remove unused webhooks"\)/,
    ],
  }),
  {
    question: 'Which payload did this run get?',
    command: 'dockbell run show RUN --payload',
    page: 'Run, tab Input',
    fact: 'the exact bytes',
    ask: ({ runs }) => ['run', 'show', runs.twice, '--payload'],
    request: ({ runs }) => `/runs/${runs.twice}/attachments/event-payload.json`,
    address: ({ runs }) => `runs/${runs.twice}`,
    tab: 'Input',
    answer: () => [/^\{"mode":"echo"\}$/],
    shown: () => [/mode:? *"echo"/],
  },
  askWhy({
    question: 'Who cancelled this run?',
    command: 'dockbell why RUN',
    page: 'Run',
    fact: 'the user or token that cancelled or retried it',
    ref: ({ runs }) => runs.cancelled,
    address: ({ runs }) => `runs/${runs.cancelled}`,
    answer: () => [/dave cancelled the run of build/],
  }),
  {
    question: 'What was accepted and started nothing today?',
    command: 'dockbell delivery list --unmatched --from 24h',
    page: 'Deliveries',
    fact: 'the deliveries without a run',
    ask: () => ['delivery', 'list', '--unmatched', '--from', '24h', '--limit', '100'],
    request: () => '/factories/pay/deliveries?unmatched=true&limit=100',
    address: () => 'deliveries?unmatched=true',
    answer: ({ deliveries }) => [new RegExp(deliveries.nothing), /guid-nothing/, /^(?![\s\S]*guid-everything)/],
    shown: () => [/guid-nothing/, /^(?![\s\S]*guid-everything)/],
  },
  askWhy({
    question: 'Do deliveries of this sender still get through?',
    command: 'dockbell why WEBHOOK',
    page: 'Webhook',
    fact: 'the last accepted delivery, and since when requests are rejected',
    ref: () => 'gh',
    address: ({ uids }) => `webhooks/${uids.gh}`,
    answer: () => [
      new RegExp(
        `gh rejects its senders: 1 request failed to authenticate since ${INSTANT}\\. The last delivery was accepted at ${INSTANT}`,
      ),
    ],
  }),
  askWhy({
    question: 'Which runs did the bad commit start?',
    command: 'dockbell why COMMIT',
    page: 'Commit',
    fact: 'the runs that started while it was live, and what it changed',
    ref: ({ commits }) => commits.everything.slice(0, 10),
    address: ({ commits }) => `commits/${commits.everything}`,
    answer: ({ runs }) => [
      /by Mallory \("Start on everything"\)/,
      /\d+ runs started while it was live/,
      new RegExp(runs.everything),
    ],
  }),
];
