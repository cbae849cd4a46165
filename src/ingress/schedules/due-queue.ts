/** What is due at some time. */
interface Entry<Item> {
  at: number;
  item: Item;
}

/** Items by the time at which they are due: a binary heap, so that adding and taking one costs the logarithm of their number. */
export class DueQueue<Item> {
  readonly #heap: Entry<Item>[] = [];

  /** When the first item is due; `null` if there is none. */
  get firstAt(): number | null {
    return this.#heap[0]?.at ?? null;
  }

  add(at: number, item: Item): void {
    const heap = this.#heap;
    let index = heap.push({ at, item }) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.at <= heap[index]!.at) return;
      swap(heap, parent, index);
      index = parent;
    }
  }

  /** Takes the first item if it is due at `nowMs`. */
  take(nowMs: number): Item | null {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.at > nowMs) return null;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first.item;
  }

  clear(): void {
    this.#heap.length = 0;
  }

  #sink(): void {
    const heap = this.#heap;
    for (let index = 0; ; ) {
      const left = 2 * index + 1;
      if (left >= heap.length) return;
      const right = left + 1;
      const child = right < heap.length && heap[right]!.at < heap[left]!.at ? right : left;
      if (heap[index]!.at <= heap[child]!.at) return;
      swap(heap, index, child);
      index = child;
    }
  }
}

function swap<Item>(heap: Entry<Item>[], one: number, other: number): void {
  [heap[one], heap[other]] = [heap[other]!, heap[one]!];
}
