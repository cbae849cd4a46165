/** Blocks are drawn once and then left alone, so that a long log stays quick to follow. */
const BLOCK_CHARACTERS = 32_768;

/** The output of a run as text that grows. Bytes are cut anywhere, also inside of a character. */
export class LogText {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #closed: string[] = [];
  #open = '';

  append(bytes: Uint8Array): void {
    this.#open += this.#decoder.decode(bytes, { stream: true });
    while (this.#open.length > BLOCK_CHARACTERS) this.#closeBlock();
  }

  /** Closed blocks never change again; the last one may grow. */
  get blocks(): readonly string[] {
    return [...this.#closed, this.#open];
  }

  /** Between two lines where there are any; never between the halves of a surrogate pair. */
  #closeBlock(): void {
    const lineEnd = this.#open.lastIndexOf('\n', BLOCK_CHARACTERS) + 1;
    const isPair = /[\uD800-\uDBFF]/.test(this.#open[BLOCK_CHARACTERS - 1] ?? '');
    const end = lineEnd > 0 ? lineEnd : BLOCK_CHARACTERS - (isPair ? 1 : 0);
    this.#closed.push(this.#open.slice(0, end));
    this.#open = this.#open.slice(end);
  }
}
