// Imported before a program with --import: prints the URL and the size of every file that it loads as a module, as one JSON line
// on standard error when it ends.
import { registerHooks } from 'node:module';

const loaded = [];

registerHooks({
  load: (url, context, nextLoad) => {
    const result = nextLoad(url, context);
    if (url.startsWith('file:')) loaded.push({ url, bytes: result.source?.length ?? 0 });
    return result;
  },
});

process.on('exit', () => process.stderr.write(`${JSON.stringify(loaded)}\n`));
