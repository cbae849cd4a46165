/** Closed blocks are not rendered again, so that a long log stays fast. */
const BLOCK_CHARACTERS = 32_768;

/** The output of a run as growing text. Chunks may end within a character. */
export class LogText {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #closed: string[] = [];
  #open = '';

  append(bytes: Uint8Array): void {
    this.#open += this.#decoder.decode(bytes, { stream: true });
    while (this.#open.length > BLOCK_CHARACTERS) this.#closeBlock();
  }

  /** Closed blocks never change. The last one may grow. */
  get blocks(): readonly string[] {
    return [...this.#closed, this.#open];
  }

  /** Ends at a line break if possible, and never within a surrogate pair. */
  #closeBlock(): void {
    const lineEnd = this.#open.lastIndexOf('\n', BLOCK_CHARACTERS) + 1;
    const isPair = /[\uD800-\uDBFF]/.test(this.#open[BLOCK_CHARACTERS - 1] ?? '');
    const end = lineEnd > 0 ? lineEnd : BLOCK_CHARACTERS - (isPair ? 1 : 0);
    this.#closed.push(this.#open.slice(0, end));
    this.#open = this.#open.slice(end);
  }
}
