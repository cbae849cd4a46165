import type { Check } from '../patient.ts';

/** Does another process lock the database? The running daemon knows it. */
export const databaseLockCheck: Check = {
  name: 'database-lock',
  isOnline: true,
  storage: 'sqlite',
  run: ({ running }) => {
    const found = running?.conditions().filter(({ type }) => type === 'DatabaseLocked') ?? [];
    const hint = 'Find the process with "fuser -v dockbell.db" in the data directory, and end it.';
    return found.map(({ message }) => ({ severity: 'error', message, hint }));
  },
};
