// Starts the built daemon with faulty start records (threat model D7), for the crash test. It is JavaScript, because it runs next to
// the built files without a compiler. FAULTY_START_RECORDS selects the fault:
//   none          no protection: every attempt can be started, and no record exists.
//   stuck_before  a run is claimed, but its start record is never written.
//   stuck_after   the start record is on disk, but the run does not continue.
import { startDaemon } from '../../dist/app/start-daemon.js';
import { createStartRecords } from '../../dist/runs/executors/start-records.js';

const never = () => new Promise(() => {});

const FAULTY_START_RECORDS = {
  none: () => ({ create: async () => true, exists: async () => false, delete: async () => {} }),
  stuck_before: (dir) => ({ ...createStartRecords(dir), create: never }),
  stuck_after: (dir) => {
    const records = createStartRecords(dir);
    return { ...records, create: (run, attempt) => records.create(run, attempt).then(never) };
  },
};

const daemon = await startDaemon({
  configFile: process.argv[2],
  env: process.env,
  log: { format: 'json', destination: process.stdout },
  openStartRecords: FAULTY_START_RECORDS[process.env.FAULTY_START_RECORDS],
});
process.once('SIGTERM', () => void daemon.stop());
process.exitCode = await daemon.exited;
