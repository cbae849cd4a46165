import { rm } from 'node:fs/promises';
import { writeDurably } from '../files/write-durably.ts';

/** What `daemon.json` tells the command line (interfaces, "Server configuration"). */
export interface DaemonFile {
  pid: number;
  ingress_url: string;
  admin_url: string;
  version: string;
}

/** Appears whole or not at all: whoever sees it can connect. */
export async function writeDaemonFile(file: string, content: DaemonFile): Promise<void> {
  await writeDurably(file, `${JSON.stringify(content)}\n`);
}

export async function removeDaemonFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
