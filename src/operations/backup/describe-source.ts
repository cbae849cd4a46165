import { resolveDataPaths } from '../../platform/data-dir/data-paths.ts';
import { builtFile } from '../../platform/files/package-files.ts';
import { readPackageVersion } from '../../platform/files/package-version.ts';
import { readMasterKeyText } from '../../platform/secrets/load-master-key.ts';
import type { BackupSource } from './stage-backup.ts';

/** The backup source of a data directory whose master key is in that file or in the environment. */
export function describeSource(of: {
  dataDir: string;
  masterKeyFile: string;
  environmentValue: string | undefined;
}): BackupSource {
  const { dataDir, masterKeyFile, environmentValue } = of;
  return {
    dataDir,
    paths: resolveDataPaths(dataDir),
    copyWorkerUrl: builtFile('storage/sqlite/disk/copy-worker.js'),
    readMasterKey: () => readMasterKeyText({ masterKeyFile, environmentValue }),
    version: readPackageVersion(),
  };
}
