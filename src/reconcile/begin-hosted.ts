import { writeAutomation } from '../definitions/write/write-automation.ts';
import { writeWebhook } from '../definitions/write/write-webhook.ts';
import type { AppliedFactory } from '../domain/applies/applied.ts';
import { automationPaths, webhookPath } from '../domain/definitions/definition-paths.ts';
import type { SourceTree } from '../domain/definitions/source-tree.ts';
import { AppError } from '../domain/errors.ts';
import type { Author, FileChange, HostedSource } from '../domain/ports/sources.ts';
import type { FactoryContext } from './factory-context.ts';

const SERVICE: Author = { name: 'Dockbell', email: 'dockbell@localhost' };

/**
 * Gives a hosted source its first revision: the definition that another source made live, or else an empty factory. So
 * a factory whose source changes in the configuration keeps everything that it serves, and the UIDs with it.
 *
 * @returns the newest revision
 */
export async function beginHosted(context: FactoryContext, hosted: HostedSource): Promise<string> {
  const { state, name, sourceKey, clock } = context;
  const [status, head] = [await state.status(), await hosted.head()];
  const appliedSource = status?.appliedSource ?? null;
  if (head !== null && (appliedSource === null || appliedSource === sourceKey)) return head;

  const applied = await state.applied();
  const files = replaceAll(await readAll(hosted, head), describeApplied(applied));
  const message = appliedSource === null ? 'Initial revision' : 'Take over the applied definition';
  if (head !== null && files.length === 0) return head;
  const committed = await hosted.commit({ from: head, files, author: SERVICE, message, at: clock.wallMs() });
  if (committed.ok) return committed.revision;
  throw new AppError(
    'conflict',
    `Somebody else changed the factory ${name} at this moment. Nothing was written; try again.`,
  );
}

async function readAll(hosted: HostedSource, head: string | null): Promise<SourceTree['entries']> {
  if (head === null) return [];
  const read = await hosted.readTree(head);
  if (read.ok) return read.tree.entries;
  throw new AppError('source_unavailable', read.message);
}

function describeApplied({ name, webhooks, automations }: AppliedFactory): FileChange[] {
  return [
    { path: 'factory.yaml', text: `schemaVersion: v1alpha1\nname: ${JSON.stringify(name)}\n` },
    ...webhooks
      .filter(({ deletedAt }) => deletedAt === null)
      .map((webhook) => ({ path: webhookPath(webhook.name), text: writeWebhook(webhook), uid: webhook.uid })),
    ...automations.map((automation) => ({
      path: automationPaths(automation.name).folder,
      text: writeAutomation(automation),
    })),
  ];
}

/** The changes that make a tree hold `wanted` and nothing else. */
function replaceAll(present: SourceTree['entries'], wanted: FileChange[]): FileChange[] {
  const texts = new Map(present.map(({ path, bytes }) => [path, bytes && Buffer.from(bytes).toString('utf8')]));
  const paths = new Set(wanted.map(({ path }) => path));
  const gone = present.filter(({ path }) => !paths.has(path)).map(({ path }) => ({ path, text: null }));
  return [...gone, ...wanted.filter(({ path, text }) => texts.get(path) !== text)];
}
