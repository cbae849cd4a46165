import { existsSync } from 'node:fs';

/** `npm run bench -- NAME [ARG ...]`: each benchmark is a file in this folder and reads its arguments. */
const [name] = process.argv.splice(2, 1);
const file = new URL(`${name}.ts`, import.meta.url);

if (name === undefined || !/^[a-z]+$/.test(name) || !existsSync(file)) {
  process.stderr.write(
    'Usage: npm run bench -- NAME, where NAME is backtest, dashboard, definitions, ingress or signatures.\n',
  );
  process.exitCode = 2;
} else {
  await import(file.href);
}
