/**
 * Webhook UIDs that the daemon itself sends a request for, through its public URL, to find out whether such requests arrive.
 * The request is answered like any other for an unknown webhook.
 */
export class UrlProbes {
  /** Whether each of the expected UIDs was seen. */
  readonly #expected = new Map<string, boolean>();

  expect(uid: string): void {
    this.#expected.set(uid, false);
  }

  /** A request named a UID that no webhook has. */
  note(uid: string): void {
    if (this.#expected.has(uid)) this.#expected.set(uid, true);
  }

  wasSeen(uid: string): boolean {
    return this.#expected.get(uid) === true;
  }

  end(uid: string): void {
    this.#expected.delete(uid);
  }
}
