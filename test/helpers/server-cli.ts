import { createProcessContext } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/run-program.ts';

// `node --import tsx server-cli.ts DATA_DIR ...`: the command line on a machine whose service has this data directory.
const [dataDir = '', ...args] = process.argv.slice(2);
const server = { configFile: '/nonexistent/dockbell.yaml', dataDir };
process.exitCode = await runProgram(args, { ...createProcessContext(process), server });
