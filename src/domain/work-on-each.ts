/** Works on one item after another. An item that fails is reported, and the others get their turn. */
export async function workOnEach<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<unknown>,
  onFailure: (error: unknown, item: Item) => void,
): Promise<void> {
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      onFailure(error, item);
    }
  }
}
