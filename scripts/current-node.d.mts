/** See current-node.mjs, which old versions of Node.js parse and so is not TypeScript. */
export function findCurrentNode(machine?: { version: string; platform: string }): string;
export function isCurrent(version: string): boolean;
