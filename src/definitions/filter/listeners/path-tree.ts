import { isJsonObject } from '../../../domain/json.ts';

/** One key of the paths of a tree, with the items that are filed under the whole path. */
export class PathNode<Item> {
  readonly children = new Map<string, PathNode<Item>>();
  /** The items, by what distinguishes them at this path. */
  readonly items = new Map<unknown, Item>();
}

/** Items that are filed under a path of keys. */
export class PathTree<Item> {
  readonly root = new PathNode<Item>();

  find(path: readonly string[], id: unknown): Item | undefined {
    let node: PathNode<Item> | undefined = this.root;
    for (const key of path) node = node?.children.get(key);
    return node?.items.get(id);
  }

  set(path: readonly string[], id: unknown, item: Item): void {
    let node = this.root;
    for (const key of path) {
      const child = node.children.get(key) ?? new PathNode<Item>();
      node.children.set(key, child);
      node = child;
    }
    node.items.set(id, item);
  }

  /** Removes an item, and the nodes that only led to it. */
  delete(path: readonly string[], id: unknown): void {
    deleteBelow(this.root, path, id);
  }
}

function deleteBelow<Item>(node: PathNode<Item>, [key, ...rest]: readonly string[], id: unknown): void {
  if (key === undefined) {
    node.items.delete(id);
    return;
  }
  const child = node.children.get(key);
  if (child === undefined) return;
  deleteBelow(child, rest, id);
  if (child.children.size + child.items.size === 0) node.children.delete(key);
}

/**
 * Calls `visit` with each object that a nested pattern evaluates: the value itself, or the elements of an array. Arrays
 * inside arrays are not entered.
 */
export function forEachObject(value: unknown, visit: (object: object) => void): void {
  if (!Array.isArray(value)) {
    if (isJsonObject(value)) visit(value);
    return;
  }
  for (let index = 0; index < value.length; index += 1) {
    const element: unknown = value[index];
    if (isJsonObject(element)) visit(element);
  }
}
