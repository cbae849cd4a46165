import { rename, rm, writeFile } from 'node:fs/promises';

/** What `daemon.json` tells the command line (interfaces, "Server configuration"). */
export interface DaemonFile {
  pid: number;
  ingress_url: string;
  admin_url: string;
  version: string;
}

/** Appears whole or not at all: whoever sees it can connect. */
export async function writeDaemonFile(file: string, content: DaemonFile): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(content)}\n`);
  await rename(draft, file);
}

export async function removeDaemonFile(file: string): Promise<void> {
  await rm(file, { force: true });
}
