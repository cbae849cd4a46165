// Preloaded into the daemon by `NODE_OPTIONS=--import`, in each of its threads. Records a CPU profile from the creation of
// the file `start` in DOCKBELL_PROFILE_DIR to that of the file `stop`, and writes it to the same folder.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { isMainThread, threadId } from 'node:worker_threads';

const LOOK_EVERY_MS = 20;
const SAMPLE_EVERY_MICROS = 500;
const folder = process.env.DOCKBELL_PROFILE_DIR;

if (folder) {
  const session = new Session();
  let isRunning = false;
  setInterval(() => {
    const isWanted = existsSync(join(folder, 'start')) && !existsSync(join(folder, 'stop'));
    if (isWanted === isRunning) return;
    isRunning = isWanted;
    if (isWanted) start();
    else stop();
  }, LOOK_EVERY_MS).unref();

  function start() {
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY_MICROS });
    session.post('Profiler.start');
  }

  function stop() {
    session.post('Profiler.stop', (error, { profile } = {}) => {
      session.disconnect();
      if (error) throw error;
      const program = isMainThread ? 'main' : process.argv[1];
      const file = join(folder, `${threadId}.json`);
      writeFileSync(`${file}.part`, JSON.stringify({ program, profile }));
      renameSync(`${file}.part`, file);
    });
  }
}
