import { rm } from 'node:fs/promises';
import { writeDurably } from '../files/write-durably.ts';

/** Content of `daemon.json`, which the command line reads (interfaces, "Server configuration"). */
interface DaemonFile {
  pid: number;
  ingress_url: string;
  admin_url: string;
  version: string;
}

/** Written atomically: a process that sees the file can connect. */
export async function writeDaemonFile(file: string, content: DaemonFile): Promise<void> {
  await writeDurably(file, `${JSON.stringify(content)}\n`);
}

export async function removeDaemonFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
