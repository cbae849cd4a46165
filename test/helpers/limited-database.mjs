// Preloaded into a daemon (`node --import`): while the file that LIMITED_DATABASE names exists, the database cannot grow
// by a page, and SQLite itself answers with SQLITE_FULL. JavaScript, because it is loaded without a compiler.
import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

const LIMIT_FILE = process.env.LIMITED_DATABASE;
/** What SQLite allows where nobody set a limit. */
const UNLIMITED_PAGES = 4294967294;

const { pragma } = Database.prototype;
const guarded = new Set();

Database.prototype.pragma = function (...args) {
  if (!this.name.endsWith('dockbell.db') || guarded.has(this)) return pragma.apply(this, args);
  guarded.add(this);
  // Between two operations of the storage thread, never in the middle of one: SQLite runs to its end.
  const timer = setInterval(() => {
    if (!this.open) return clearInterval(timer);
    const pages = existsSync(LIMIT_FILE) ? pragma.call(this, 'page_count', { simple: true }) : UNLIMITED_PAGES;
    if (!this.inTransaction) pragma.call(this, `max_page_count = ${pages}`);
  }, 10);
  timer.unref();
  return pragma.apply(this, args);
};
