import type { ProbeMessage } from '../../domain/ports/replicas.ts';
import { type Schedule, scheduleCall } from '../../domain/time/schedule.ts';

/** Maximum number of unknown UIDs that are remembered for probes of other replicas, and of these probes. */
const MAX_REMEMBERED = 256;

/** How long the message of a replica that received the probe may take. */
const MESSAGE_MS = 2000;

export interface UrlProbesParts {
  /** Sends a message to the other replicas; `null` without any. */
  announce: ((message: ProbeMessage) => void) | null;
  schedule: Schedule;
}

const ALONE: UrlProbesParts = { announce: null, schedule: scheduleCall };

/**
 * Webhook UIDs that a daemon sends a request for, through the public URL, to find out whether such requests arrive. The
 * request is answered like any other for an unknown webhook. A load balancer can give it to another replica, which then reports
 * it.
 */
export class UrlProbes {
  readonly #parts: UrlProbesParts;
  /** What to do when each of the expected UIDs is seen; `null` if it was. */
  readonly #expected = new Map<string, (() => void) | null>();
  /** Probes of other replicas. */
  readonly #expectedElsewhere = new Set<string>();
  /** The most recent unknown UIDs: a probe can arrive before the message about it. */
  readonly #recent = new Set<string>();

  constructor(parts: UrlProbesParts = ALONE) {
    this.#parts = parts;
  }

  expect(uid: string): void {
    this.#expected.set(uid, () => {});
    this.#parts.announce?.({ kind: 'probe', uid });
  }

  /** A request named a UID that no webhook has. */
  note(uid: string): void {
    if (this.#expected.has(uid)) this.#see(uid);
    else if (this.#expectedElsewhere.delete(uid)) this.#parts.announce?.({ kind: 'probeSeen', uid });
    else if (this.#parts.announce !== null) remember(this.#recent, uid);
  }

  /** A message of another replica. */
  noteElsewhere({ kind, uid }: ProbeMessage): void {
    if (kind === 'probeSeen') this.#see(uid);
    else if (this.#recent.delete(uid)) this.#parts.announce?.({ kind: 'probeSeen', uid });
    else remember(this.#expectedElsewhere, uid);
  }

  /** Call when the request was answered. Waits for the message of another replica if none was seen here. */
  wasSeen(uid: string): Promise<boolean> {
    if (this.#expected.get(uid) === null) return Promise.resolve(true);
    if (this.#parts.announce === null) return Promise.resolve(false);
    return new Promise((resolve) => {
      const cancel = this.#parts.schedule(MESSAGE_MS, () => resolve(false));
      this.#expected.set(uid, () => {
        cancel();
        resolve(true);
      });
    });
  }

  end(uid: string): void {
    this.#expected.delete(uid);
  }

  #see(uid: string): void {
    this.#expected.get(uid)?.();
    if (this.#expected.has(uid)) this.#expected.set(uid, null);
  }
}

/** Drops the oldest one if there are too many. */
function remember(uids: Set<string>, uid: string): void {
  uids.add(uid);
  if (uids.size > MAX_REMEMBERED) uids.delete(uids.values().next().value!);
}
