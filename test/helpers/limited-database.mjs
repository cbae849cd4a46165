// Preloaded into a daemon (`node --import`). While the file in LIMITED_DATABASE exists, the database cannot grow, and
// SQLite returns SQLITE_FULL. It is JavaScript, because it is loaded without a compiler.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

const LIMIT_FILE = process.env.LIMITED_DATABASE;
/** SQLite's default limit. */
const UNLIMITED_PAGES = 4294967294;

const { pragma } = Database.prototype;
const guarded = new Set();

Database.prototype.pragma = function (...args) {
  if (!this.name.endsWith('dockbell.db') || guarded.has(this)) return pragma.apply(this, args);
  guarded.add(this);
  // Between two operations of the storage thread. An operation is never interrupted.
  const timer = setInterval(() => {
    if (!this.open) return clearInterval(timer);
    const pages = existsSync(LIMIT_FILE) ? pragma.call(this, 'page_count', { simple: true }) : UNLIMITED_PAGES;
    if (!this.inTransaction) pragma.call(this, `max_page_count = ${pages}`);
  }, 10);
  timer.unref();
  return pragma.apply(this, args);
};
