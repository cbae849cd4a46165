import { existsSync } from 'node:fs';

/**
 * The folder of the package, with its `package.json`. Found by searching upwards, because the build joins modules in `dist/`
 * at other places than in `src/`.
 */
const PACKAGE_ROOT = findPackageRoot(new URL('./', import.meta.url));

/** The URL of a file of the package, in a clone and in an installation. */
export function packageFile(path: string): URL {
  return new URL(path, PACKAGE_ROOT);
}

/** The URL of a file that the build creates, such as the code of a thread; the path is relative to `dist/`. */
export function builtFile(path: string): URL {
  return packageFile(`dist/${path}`);
}

function findPackageRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('../', folder);
  if (above.href === folder.href) throw new Error(`No package.json exists above ${import.meta.url}.`);
  return findPackageRoot(above);
}
