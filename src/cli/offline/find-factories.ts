import { lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join, relative, sep } from 'node:path';

/** Factories are near the root of a repository. A deeper search would walk through unrelated folders. */
const DEPTH = 3;
const MAX_FOLDERS = 500;
const MAX_NAMED = 5;

/** Where a factory is likely to be: above the folder, or in folders below. One sentence, for a hint. */
export async function suggestFactories(dir: string): Promise<string> {
  const around = await findAround(dir);
  if (around !== null) return `The folder is part of the factory ${around}: specify that folder.`;
  const below = await findBelow(dir);
  if (below.length === 0) return 'Specify the folder of the factory, or run "dockbell init" to create one.';
  const named = below.slice(0, MAX_NAMED).join(', ');
  const more = below.length > MAX_NAMED ? ` and ${below.length - MAX_NAMED} more` : '';
  return `Specify the folder of the factory: ${named}${more}.`;
}

/** The folder of the factory that contains a file. The path itself, if it is not a file or in no factory. */
export async function findFactoryOf(path: string): Promise<string> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true) return path;
  return (await exists(join(dirname(path), 'factory.yaml'))) ? dirname(path) : ((await findAround(path)) ?? path);
}

async function findAround(dir: string): Promise<string | null> {
  for (let below = dir, folder = dirname(dir); folder !== below; below = folder, folder = dirname(folder)) {
    const isPart = ['webhooks', 'automations'].includes(basename(below));
    if (isPart && (await isFactory(folder))) return folder;
    if (await exists(join(below, '.git'))) return null;
  }
  return null;
}

/** Folders that contain a factory, relative to `dir`, the nearest first. */
async function findBelow(dir: string): Promise<string[]> {
  const found: string[] = [];
  let seen = 0;
  for (let depth = 1, level = [dir]; depth <= DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      for (const child of await listFolders(folder)) {
        if (++seen > MAX_FOLDERS) return found;
        if (await isFactory(child)) found.push(relative(dir, child).split(sep).join('/'));
        else next.push(child);
      }
    }
    level = next;
  }
  return found;
}

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => join(folder, name))
    .sort();
}

/** Does the folder contain the definition of a factory, or at least a part of it? */
export async function hasDefinition(dir: string): Promise<boolean> {
  const found = await Promise.all(['factory.yaml', 'webhooks', 'automations'].map((name) => exists(join(dir, name))));
  return found.includes(true);
}

/** Stricter than validation: a folder that contains only `webhooks` is often unrelated. */
async function isFactory(folder: string): Promise<boolean> {
  if (await exists(join(folder, 'factory.yaml'))) return true;
  return (await exists(join(folder, 'webhooks'))) && (await exists(join(folder, 'automations')));
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}
