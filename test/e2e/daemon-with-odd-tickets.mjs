// The built daemon with something else in place of its tickets (threat model D7), for the crash test. JavaScript,
// because it runs beside the built files without a compiler. ODD_TICKETS chooses:
//   none          the defence left out: whoever asks for a ticket gets it, and none is ever there
//   stuck_before  a run is claimed, and its ticket never written
//   stuck_after   the ticket is on disk, and the run goes no further
import { startDaemon } from '../../dist/app/start-daemon.js';
import { createTicketOffice } from '../../dist/executors/start-records.js';

const never = () => new Promise(() => {});

const ODD_TICKETS = {
  none: () => ({ take: async () => true, exists: async () => false, discard: async () => {} }),
  stuck_before: (dir) => ({ ...createTicketOffice(dir), take: never }),
  stuck_after: (dir) => {
    const office = createTicketOffice(dir);
    return { ...office, take: (run, attempt) => office.take(run, attempt).then(never) };
  },
};

const daemon = await startDaemon({
  configFile: process.argv[2],
  env: process.env,
  log: { format: 'json', destination: process.stdout },
  createTickets: ODD_TICKETS[process.env.ODD_TICKETS],
});
process.once('SIGTERM', () => void daemon.stop());
process.exitCode = await daemon.exited;
