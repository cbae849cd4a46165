import { afterAll } from 'vitest';
import { removeTempDirs } from './temp-dir.ts';

// Set up for every test file: registered before the hooks of the file, it runs after them.
afterAll(removeTempDirs);
