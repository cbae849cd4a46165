// Preloaded into a daemon (`node --import`) to see whether the test of a loss of power detects a daemon that breaks its
// promise. It is JavaScript, because it is loaded without a compiler. BROKEN_DURABILITY selects the defect:
//   unsynced   SQLite runs with `synchronous = NORMAL`, and reports FULL.
//   early      a request is answered with 202 when its body has arrived, before it is stored.
import { Server } from 'node:http';
import { isMainThread } from 'node:worker_threads';
import Database from 'better-sqlite3';

const FULL = 2;
const { pragma } = Database.prototype;
const { emit } = Server.prototype;

const DEFECTS = {
  unsynced() {
    Database.prototype.pragma = function (statement, options) {
      if (statement === 'synchronous') return options?.simple ? FULL : [{ synchronous: FULL }];
      return pragma.call(this, statement.replace('synchronous = FULL', 'synchronous = NORMAL'), options);
    };
  },
  early() {
    if (!isMainThread) return;
    Server.prototype.emit = function (event, ...args) {
      if (event === 'request' && args[0].url.startsWith('/webhooks/')) answerEarly(...args);
      return emit.call(this, event, ...args);
    };
  },
};

function answerEarly(request, response) {
  const { writeHead, end } = response;
  request.once('end', () => {
    writeHead.call(response, 202, { 'content-type': 'application/json' });
    end.call(response, '{}');
  });
  // The answer of the daemon is discarded.
  response.writeHead = () => response;
  response.end = () => response;
}

DEFECTS[process.env.BROKEN_DURABILITY]();
