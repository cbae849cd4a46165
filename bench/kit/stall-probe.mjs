// Preloaded into the daemon by `NODE_OPTIONS=--import`. Measures how long the main thread does not return to its event loop.
// A line `read` on the socket is answered with two figures since the last one, in milliseconds. The first is the longest
// delay. The second is the most processor time between two ticks of a timer, which excludes the time of other programs.
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

const RESOLUTION_MS = 1;

if (isMainThread && process.env.DOCKBELL_STALL_SOCKET) {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let longestTurnMs = 0;
  let usedMs = readThreadMs();
  setInterval(() => {
    const nowMs = readThreadMs();
    longestTurnMs = Math.max(longestTurnMs, nowMs - usedMs);
    usedMs = nowMs;
  }, RESOLUTION_MS).unref();
  const server = createServer((socket) => {
    socket.on('data', () => {
      // A sample is the time between two ticks of the timer, which is the resolution if nothing delays it.
      const longestMs = delays.count === 0 ? 0 : Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
      delays.reset();
      socket.write(`${JSON.stringify({ longestMs, longestTurnMs })}\n`);
      longestTurnMs = 0;
    });
    socket.unref();
  });
  server.listen(process.env.DOCKBELL_STALL_SOCKET).unref();
}

/** Processor time of the main thread. 0 for versions of Node.js that do not report it. */
function readThreadMs() {
  const { user, system } = process.threadCpuUsage?.() ?? { user: 0, system: 0 };
  return (user + system) / 1_000;
}
