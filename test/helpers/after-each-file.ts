import { afterAll } from 'vitest';
import { endFile } from './file-endings.ts';
import { removeTempDirs } from './temp-dir.ts';

// Set up for every test file: registered before the hooks of the file, they run after them, the last one first.
afterAll(removeTempDirs);
afterAll(endFile);
