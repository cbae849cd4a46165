import { formatKeyPath, type KeyPath } from '../definitions/yaml/key-path.ts';
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
    const names = (['url', 's3'] as const).filter((name) => storage[name] !== null);
    return names.map((name) =>
      report(
        ['storage', name],
        `storage.${name} is only used with storage.type: postgres. Set the type, or remove the key.`,
      ),
    );
  }
  const problems: ConfigProblem[] = [];
  const { s3 } = storage;
  if (s3 !== null && (s3.accessKeyId === null) !== (s3.secretAccessKey === null)) {
    const [missing, given] =
      s3.accessKeyId === null ? ['accessKeyId', 'secretAccessKey'] : ['secretAccessKey', 'accessKeyId'];
    const message = `storage.s3.${missing} is missing: set both keys, or remove ${given} to use the sources of the AWS SDK.`;
    problems.push(report(['storage', 's3', given!], message));
  }
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
