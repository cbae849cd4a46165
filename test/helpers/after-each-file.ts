import { afterAll } from 'vitest';
import { endFile } from './file-endings.ts';
import { removeTempDirs } from './temp-dir.ts';

// Registered before the hooks of the file, so these hooks run after them, because the last one runs first.
afterAll(removeTempDirs);
afterAll(endFile);
