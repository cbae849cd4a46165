import { type BenchName, NAMES } from './names.ts';

/**
 * Measures of each benchmark that `docs/performance.md` shows in addition to those with a target. `npm run bench -- NAME` prints
 * all. A benchmark that is missing here has no figures on the page: they depend on what they are compared with, or explain others.
 */
export const PUBLISHED: Partial<Record<BenchName, readonly string[]>> = {
  ingress: [
    'node:http, reads the body, 64 connections',
    'token, 64 connections',
    'GitHub signature, 10,000 automations, one matches',
    'all threads per delivery: token',
  ],
  reconcile: [],
  start: ['daemon with 5,000 automations and 1,000,000 identities, to the first 202'],
  filters: [
    '10,000 filters, one matches: index',
    '10,000 filters, one matches: each filter',
    '10,000 filters, GitHub triggers of another event: index',
    'parsing the payload',
  ],
  signatures: ['github, 1 KiB', 'github, 1 KiB, ratio to node:crypto', 'github, 64 KiB', 'discord, 1 KiB'],
  definitions: ['10,000 automations, cold process, wall time', '10,000 automations, warm, ratio to the YAML parser'],
  backtest: [
    'backtest',
    'p99 of a batch of deliveries, no backtest',
    'p99 of a batch of deliveries during the backtest',
  ],
  retention: ['p99 of a delivery, no retention', 'p99 of a delivery during retention'],
  dashboard: [
    'page 1, 1,000,000',
    'counts of 7 days, 1,000,000',
    'browser: first load, Overview, 1,000,000',
    'browser: Deliveries, 1,000,000',
    'browser: search, 1,000,000',
  ],
  overload: [
    'capacity, 64 connections',
    'accepted during overload, 1,000 connections',
    'another sender during overload, longest',
    'resident memory during overload',
  ],
  replicas: [
    'SQLite, one daemon',
    'PostgreSQL, 1 daemon',
    'PostgreSQL, 2 daemons',
    'PostgreSQL, 4 daemons',
    'bytes of WAL per delivery, 1',
    'p99, 1',
    'p99, 4',
  ],
  claims: ['SQLite, 1 claimant', 'PostgreSQL, 1 claimant', 'PostgreSQL, 8 claimants'],
  partitions: ['delete the rows', 'vacuum after it', 'drop the partition', 'WAL of the deletion', 'WAL of the drop'],
  followers: ['the change: commit of the leader to live', 'the whole factory: commit of the leader to live'],
  soak: ['deliveries of steady senders', 'resident memory', 'open files', 'write-ahead log', 'database file'],
};

/** In the order of the page. */
export const PUBLISHED_NAMES: readonly BenchName[] = NAMES.filter((name) => PUBLISHED[name] !== undefined);
