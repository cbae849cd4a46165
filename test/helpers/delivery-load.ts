import { createHash } from 'node:crypto';
import type { SeededRandom } from './seeded-random.ts';

/** One thing a sender has to say, however often it says it. */
export interface Message {
  /** Sent as `X-Service-Delivery-Id`; `null` where the body is the identity. */
  deliveryId: string | null;
  body: string;
  /** `false`: no honest daemon accepts it. */
  isSound: boolean;
  /** Does its payload meet the filter of the automations? */
  startsRuns: boolean;
  /** What came of each time it was sent. */
  accepted: number;
  refused: number;
  unknown: number;
}

/** Everything that was sent, with what the sender learnt of it. */
export type Ledger = Message[];

export interface Target {
  url: string;
  token: string;
}

export interface LoadOptions {
  senders: number;
  /** How many of a hundred new messages start runs. */
  startsRunsPercent: number;
  random: SeededRandom;
  ledger: Ledger;
}

/** The identity under which the delivery log knows a message. */
export function identityOf({ deliveryId, body }: Message): string {
  return deliveryId ?? `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

/** Senders that never rest, until one finds the daemon gone or the signal ends them. */
export async function sendUntilBroken(target: Target, options: LoadOptions, signal: AbortSignal): Promise<void> {
  const keepSending = async () => {
    while (!signal.aborted) {
      const message = chooseMessage(options);
      // A sender that repeats itself may overtake itself.
      const times = options.random.next() < 0.1 ? 2 : 1;
      const outcomes = await Promise.all(Array.from({ length: times }, () => sendOnce(target, message)));
      if (outcomes.includes('broken')) return;
    }
  };
  await Promise.all(Array.from({ length: options.senders }, keepSending));
}

/** Something new, or something said before: above all what nobody knows the end of. */
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
    ...{ accepted: 0, refused: 0, unknown: 0 },
  };
}

/** Threat model, "Test habits": three outcomes at the client. `broken` is `unknown` without any answer. */
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
