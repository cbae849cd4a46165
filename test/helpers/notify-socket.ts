import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { eventually } from './eventually.ts';
import { createTempDir } from './temp-dir.ts';

/** A message as the service manager receives it, without the barriers of systemd-notify. */
interface ServiceMessage {
  text: string;
  atMs: number;
}

/** Prints each datagram as one line of JSON. A file descriptor that comes with a datagram is closed, which ends a barrier. */
const RECEIVE = `
import array, json, os, socket, sys
receiver = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
receiver.bind(sys.argv[1])
print('"bound"', flush=True)
while True:
    data, ancillary, _, _ = receiver.recvmsg(65536, 1024)
    for _, kind, content in ancillary:
        if kind == socket.SCM_RIGHTS:
            for fd in array.array('i', content): os.close(fd)
    print(json.dumps(data.decode()), flush=True)
`;

/** Whether the programs for tests of notifications are on this machine. */
export function hasNotifyPrograms(): boolean {
  const isFound = ['systemd-notify', 'python3'].every((name) => spawnSync(name, ['--version']).status === 0);
  if (!isFound) console.warn('SKIPPED: these tests need systemd-notify and python3');
  return isFound;
}

/** A Unix datagram socket that receives notifications, as systemd opens one. Call it while tests are declared. */
export function openNotifySocket() {
  const path = join(createTempDir('notify'), 'socket');
  const messages: ServiceMessage[] = [];
  let receiver: ChildProcess | undefined;
  afterAll(() => receiver?.kill('SIGKILL'));
  return {
    path,
    messages,
    open: async () => {
      receiver = spawn('python3', ['-c', RECEIVE, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      let isBound = false;
      let rest = '';
      receiver.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const text = JSON.parse(line);
          if (text === 'bound') isBound = true;
          else if (text !== 'BARRIER=1') messages.push({ text, atMs: performance.now() });
        }
      });
      await eventually(() => isBound);
    },
  };
}
