import { existsSync } from 'node:fs';

/**
 * Where the package of this program lies: the folder with its `package.json`. Looked for upwards, because modules stand
 * at other places in `dist/`, where the build joins them, than in `src/`.
 */
const PACKAGE_ROOT = findPackageRoot(new URL('./', import.meta.url));

/** The address of a file that comes with the package, in a clone as in an installation. */
export function packageFile(path: string): URL {
  return new URL(path, PACKAGE_ROOT);
}

/** The address of a file that the build makes, such as the code of a thread; the path is that below `dist/`. */
export function builtFile(path: string): URL {
  return packageFile(`dist/${path}`);
}

function findPackageRoot(folder: URL): URL {
  if (existsSync(new URL('package.json', folder))) return folder;
  const above = new URL('../', folder);
  if (above.href === folder.href) throw new Error(`No package.json was found above ${import.meta.url}.`);
  return findPackageRoot(above);
}
