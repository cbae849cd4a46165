import type { SpawnSyncOptions, SpawnSyncReturns } from 'node:child_process';

/** See run-npm.mjs, which old versions of Node.js parse and so is not TypeScript. */
export function runNpm(args: readonly string[], options: SpawnSyncOptions): SpawnSyncReturns<Buffer>;
