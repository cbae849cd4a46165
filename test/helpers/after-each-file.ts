import { afterAll } from 'vitest';
import { endFile } from './file-endings.ts';
import { removeTempDirs } from './temp-dir.ts';

const umask = process.umask();

// Registered before the hooks of the file, so these hooks run after them, because the last one runs first.
afterAll(removeTempDirs);
afterAll(endFile);
// Commands that write a data directory set it, and other files run in the same process.
afterAll(() => void process.umask(umask));
