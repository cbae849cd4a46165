/**
 * Entry points below src/: the program and its threads, then the modules that tests start in a separate process. The build
 * writes a file of dist/ for each, and the search for dead code starts at them.
 */
export const PROGRAM_ENTRIES = [
  'main',
  'reconcile/thread/worker',
  'reconcile/source/git-host-process',
  'reconcile/inspection/definitions-worker',
  'ingress/diagnosis/diagnosis-worker',
  'reconcile/inspection/inspection-worker',
  'reconcile/pull-requests/request-worker',
  'storage/sqlite/checkpoints/checkpoint-worker',
  'storage/sqlite/disk/check-worker',
  'storage/sqlite/disk/copy-worker',
  'storage/postgres/thread/worker',
  'storage/sqlite/thread/worker',
  'cli/demo/run-demo',
  'app/start-daemon',
  'runs/executors/start-records',
  'runs/executors/watchdog/watchdog-process',
];
