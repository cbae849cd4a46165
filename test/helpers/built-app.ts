/**
 * The built composition root, in this process. Its worker threads are JavaScript files that only the build creates.
 * `npm test` builds first.
 */
export async function importBuiltApp() {
  const load = (file: string) => import(new URL(`../../dist/${file}`, import.meta.url).href);
  const { startDaemon } = (await load('app/start-daemon.js')) as typeof import('../../src/app/start-daemon.ts');
  const { runDemo } = (await load('cli/demo/run-demo.js')) as typeof import('../../src/cli/demo/run-demo.ts');
  return { startDaemon, runDemo };
}
