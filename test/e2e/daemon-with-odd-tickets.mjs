// The built daemon with something else in place of its tickets (threat model D7), for the crash test. JavaScript,
// because it runs beside the built files without a compiler. ODD_TICKETS chooses:
//   none          the defence left out: whoever asks for a ticket gets it, and none is ever there
//   stuck_before  a run is claimed, and its ticket never written
//   stuck_after   the ticket is on disk, and the run goes no further
import { startDaemon } from '../../dist/app/start-daemon.js';
import { createStartRecords } from '../../dist/executors/start-records.js';

const never = () => new Promise(() => {});

const ODD_TICKETS = {
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
  openStartRecords: ODD_TICKETS[process.env.ODD_TICKETS],
});
process.once('SIGTERM', () => void daemon.stop());
process.exitCode = await daemon.exited;
