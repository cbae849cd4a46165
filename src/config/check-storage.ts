import { formatKeyPath, type KeyPath } from '../yaml/key-path.ts';
import type { ConfigDocument, ConfigProblem } from './config-document.ts';
import type { OptionValues } from './option-values.ts';

/** Checks the keys that belong to one type of storage. */
export function checkStorage({ storage, backup }: OptionValues, document: ConfigDocument): ConfigProblem[] {
  const report = (path: KeyPath, message: string) => ({
    where: document.where(path),
    path: formatKeyPath(path),
    message,
  });
  if (storage.type === 'sqlite') {
    if (storage.url === null) return [];
    return [
      report(
        ['storage', 'url'],
        'storage.url is only used with storage.type: postgres. Set the type, or remove the URL.',
      ),
    ];
  }
  const problems: ConfigProblem[] = [];
  if (storage.url === null) {
    const message = 'storage.url is missing: storage.type: postgres needs the URL of the database.';
    problems.push(report(['storage', 'type'], message));
  }
  if (backup !== null) {
    const message = 'backup copies a SQLite database. Back up PostgreSQL with its own tools, and remove this section.';
    problems.push(report(['backup'], message));
  }
  return problems;
}
