// Preloaded into a program (`node --import`). Kills it before the write number KILL_AT_STEP: each statement that changes a
// database, each transaction, and each change of a folder is one. STEP_SIGNAL is another signal, such as SIGSTOP. It is
// JavaScript, because it is loaded without a compiler.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import Database from 'better-sqlite3';

const last = Number(process.env.KILL_AT_STEP);
const signal = process.env.STEP_SIGNAL ?? 'SIGKILL';
let steps = 0;
const count = () => {
  steps += 1;
  if (steps === last) process.kill(process.pid, signal);
};

const READS = /^\s*(?:select|with|explain)\b/i;
const { prepare, exec, pragma } = Database.prototype;

Database.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql);
  if (READS.test(sql)) return statement;
  for (const way of ['run', 'all', 'get', 'iterate']) {
    const execute = statement[way];
    statement[way] = function (...args) {
      count();
      return execute.apply(this, args);
    };
  }
  return statement;
};
Database.prototype.exec = function (sql) {
  count();
  return exec.call(this, sql);
};
Database.prototype.pragma = function (text, ...more) {
  if (/=/.test(text)) count();
  return pragma.call(this, text, ...more);
};

for (const way of ['renameSync', 'rmSync', 'fsyncSync']) {
  const change = fs[way];
  fs[way] = (...args) => {
    count();
    return change(...args);
  };
}
for (const way of ['rename', 'link', 'rm']) {
  const change = fs.promises[way];
  fs.promises[way] = (...args) => {
    count();
    return change(...args);
  };
}
syncBuiltinESMExports();
