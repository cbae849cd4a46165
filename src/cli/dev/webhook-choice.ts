/** Webhooks after the ninth have no key. */
const KEYS = 9;

/** The webhooks of a `dockbell dev`, numbered for the keys that choose one. A number never changes. */
export class WebhookChoice {
  readonly #names: string[] = [];
  #chosen: string | null = null;

  /** The webhook whose sample is sent; `null` before the first one exists. */
  get chosen(): string | null {
    return this.#chosen;
  }

  /** Takes the webhooks that an apply created or changed. The last of them is chosen; of the first apply, the first one. */
  addChanged(names: readonly string[]): void {
    const added = names.filter((name) => !this.#names.includes(name));
    this.#names.push(...added);
    this.#chosen = (this.#chosen === null ? names[0] : names.at(-1)) ?? this.#chosen;
  }

  /** The key of a webhook; `null` if it has none. */
  keyOf(name: string): string | null {
    const number = this.#names.indexOf(name) + 1;
    return number >= 1 && number <= KEYS ? String(number) : null;
  }

  /** Chooses the webhook of a key. Returns whether there is one. */
  choose(key: string): boolean {
    const name = /^[1-9]$/.test(key) ? this.#names[Number(key) - 1] : undefined;
    if (name === undefined) return false;
    this.#chosen = name;
    return true;
  }
}
