// npm reads npm-shrinkwrap.json in place of package-lock.json where both exist, so the clone keeps only the latter.
import { rmSync } from 'node:fs';

rmSync('npm-shrinkwrap.json', { force: true });
