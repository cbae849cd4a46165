import { createHash } from 'node:crypto';
import type { SeededRandom } from './seeded-random.ts';

/** A message of a sender, which can be sent several times. */
export interface Message {
  /** Sent as `X-Service-Delivery-Id`; `null` if the body is the identity. */
  deliveryId: string | null;
  body: string;
  /** `false`: the daemon must not accept it. */
  isSound: boolean;
  /** Whether its payload matches the filter of the automations. */
  startsRuns: boolean;
  /** The outcome of each time it was sent. */
  accepted: number;
  refused: number;
  unknown: number;
}

/** All sent messages, with the outcomes that the sender knows. */
export type Ledger = Message[];

export interface Target {
  url: string;
  token: string;
}

export interface LoadOptions {
  senders: number;
  /** Percentage of new messages that start runs. */
  startsRunsPercent: number;
  random: SeededRandom;
  ledger: Ledger;
}

/** The identity of a message in the delivery log. */
export function identityOf({ deliveryId, body }: Message): string {
  return deliveryId ?? `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Sends continuously, until the daemon does not respond or the signal aborts. */
export async function sendUntilBroken(target: Target, options: LoadOptions, signal: AbortSignal): Promise<void> {
  const keepSending = async () => {
    while (!signal.aborted) {
      const message = chooseMessage(options);
      // Repetitions can arrive before the original.
      const times = options.random.next() < 0.1 ? 2 : 1;
      const outcomes = await Promise.all(Array.from({ length: times }, () => sendOnce(target, message)));
      if (outcomes.includes('broken')) return;
    }
  };
  await Promise.all(Array.from({ length: options.senders }, keepSending));
}

/** Returns a new message or an earlier one, preferably one whose outcome is unknown. */
function chooseMessage({ random, ledger, startsRunsPercent }: LoadOptions): Message {
  if (ledger.length > 0 && random.next() < 0.15) return ledger[random.integer(0, ledger.length)]!;
  if (ledger.length > 0 && random.next() < 0.1) {
    const unsure = ledger.slice(-200).filter((message) => message.unknown > 0 && message.accepted === 0);
    if (unsure.length > 0) return random.pick(unsure);
  }
  const message = composeMessage(random, ledger.length, random.next() * 100 < startsRunsPercent);
  ledger.push(message);
  return message;
}

function composeMessage(random: SeededRandom, number: number, startsRuns: boolean): Message {
  const isSound = random.next() >= 0.05;
  const filling = 'ü'.repeat(random.integer(0, 1500));
  const whole = `{ "number":${number}, "start": ${startsRuns}, "big":12345678901234567890, "filling":"${filling}" }\n`;
  return {
    deliveryId: random.next() < 0.5 ? `event-${number}` : null,
    body: isSound ? whole : whole.slice(0, -4),
    isSound,
    startsRuns: isSound && startsRuns,
    accepted: 0,
    refused: 0,
    unknown: 0,
  };
}

/** Threat model, "Test habits": three outcomes at the client. `broken` is `unknown` without any response. */
async function sendOnce({ url, token }: Target, message: Message): Promise<'answered' | 'broken'> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        ...(message.deliveryId === null ? {} : { 'x-service-delivery-id': message.deliveryId }),
      },
      body: message.body,
    });
    if (response.status === 202) message.accepted += 1;
    else if (response.status >= 400 && response.status < 500) message.refused += 1;
    else message.unknown += 1;
    await response.arrayBuffer().catch(() => {});
    return 'answered';
  } catch {
    message.unknown += 1;
    return 'broken';
  }
}
