import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The processes that a shell started together, as the terminal sees them. */
export interface TerminalJob {
  /** Does the terminal send its keys to this job? Reading or changing the terminal stops any other job. */
  isForeground(): boolean;
  /** Sends a signal to all processes of the job, as the terminal does for Ctrl-C. */
  signal(name: 'SIGINT' | 'SIGQUIT' | 'SIGTSTP'): void;
}

export const terminalJob: TerminalJob = {
  isForeground: () => (process.platform === 'linux' ? isForegroundInProc() : isForegroundInPs()),
  signal: (name) => void process.kill(0, name),
};

/** After the name in parentheses: state, parent, process group, session, terminal, foreground group of the terminal. */
function isForegroundInProc(): boolean {
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const [, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return group === foreground;
}

/** `+` marks the processes of the foreground group. */
function isForegroundInPs(): boolean {
  return (
    spawnSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' }).stdout?.includes('+') === true
  );
}
