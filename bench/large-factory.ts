import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TempGitRepo } from '../test/helpers/temp-git-repo.ts';

/** A factory as a large team would have it: automations of about 1.25 KB and a few webhooks. */
export interface FactorySize {
  automations: number;
  webhooks: number;
}

export const LARGE_SECRET = { name: 'BENCH_SECRET', value: 'a-benchmark-token-of-32-characters' };

const AUTOMATION_BYTES = 1_250;
const PROMPT_LINE =
  'Read the log of the failed job, find the first error, and describe its cause and a fix in one comment.\n';

/** All files of the factory. All automations are different. */
export function composeLargeFactory({ automations, webhooks }: FactorySize): Map<string, string> {
  const files = new Map<string, string>();
  for (let i = 0; i < webhooks; i++) files.set(pathOfWebhook(i), composeWebhook(true));
  for (let i = 0; i < automations; i++) files.set(pathOfAutomation(i), composeAutomation(i, webhooks));
  return files;
}

export function pathOfWebhook(i: number): string {
  return `webhooks/sender-${i}.yaml`;
}

export function composeWebhook(isEnabled: boolean): string {
  return `secretName: ${LARGE_SECRET.name}\n${isEnabled ? '' : 'enabled: false\n'}`;
}

export function pathOfAutomation(i: number): string {
  return `automations/work-${i}/automation.md`;
}

/** Is triggered by failed builds of project `project`, by default the project with the number of the automation. */
export function composeAutomation(i: number, webhooks: number, project = `project-${i}`): string {
  const front = `---
description: Looks into failed builds of project ${i}
triggers:
  - provider: webhook
    event: received
    filter:
      webhooks: [sender-${i % webhooks}]
      payload:
        build:
          status: [failed, broken]
          project: [${project}]
          branch: { not_in: [experiments] }
---
Investigate the failure of project ${i}.
`;
  const lines = Math.floor((AUTOMATION_BYTES - front.length) / PROMPT_LINE.length);
  return front + PROMPT_LINE.repeat(lines);
}

/** A payload that starts the automation of this project, and no other. */
export function composeFailedBuild(project: string): string {
  return JSON.stringify({ build: { status: 'failed', project, branch: 'main' } });
}

/** Writes the files below a folder. */
export function writeFactory(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/**
 * Imports the files as one commit without a parent, and each of `changes` as one more commit. No ref of a branch moves.
 * Returns the commits.
 */
export async function importCommits(
  repo: TempGitRepo,
  files: ReadonlyMap<string, string>,
  changes: readonly ReadonlyMap<string, string>[],
): Promise<string[]> {
  const stream = [files, ...changes].map(formatCommit).join('');
  await repo.git(['fast-import', '--quiet'], `${stream}done\n`);
  const history = await repo.git(['rev-list', '--reverse', PREPARED_REF]);
  return history.split('\n');
}

const PREPARED_REF = 'refs/prepared/changes';

function formatCommit(files: ReadonlyMap<string, string>): string {
  const entries = Array.from(files, ([path, text]) => `M 100644 inline ${path}\n${formatData(text)}`);
  return `commit ${PREPARED_REF}\ncommitter Bench <bench@example.com> 1790000000 +0000\n${formatData('change')}${entries.join('')}\n`;
}

function formatData(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}
