import { webhookNameOf } from '../../domain/definitions/definition-paths.ts';
import { createFileEntry, type SourceTree } from '../../domain/definitions/source-tree.ts';
import { AppError } from '../../domain/errors.ts';
import type { WebhookUid } from '../../domain/ids.ts';
import type { HostedSource, LiveDefinitions, LiveFile } from '../../domain/ports/sources.ts';
import { failed } from './source-limits.ts';

const REVISION = /^live-([1-9]\d{0,14})$/;

/** A definition in the database: its revisions are numbered edits, and only the latest can be read. */
export function createLiveSource(definitions: LiveDefinitions, factory: string): HostedSource {
  return {
    keepsUids: true,
    history: null,
    head: async () => formatRevision(await definitions.head(factory)),
    fetch: async () => {
      const revision = formatRevision(await definitions.head(factory));
      if (revision === null) return failed('BranchMissing', 'The factory has no definition yet.');
      return { ok: true, revision };
    },
    readTree: async (revision) => {
      const read = await definitions.read(factory);
      if (read !== null && formatRevision(read.revision) === revision) return { ok: true, tree: toTree(read.files) };
      return failed('RepositoryUnreachable', `${revision} is no longer the latest revision.`);
    },
    commit: async ({ from, files }) => {
      const revision = formatRevision(await definitions.commit(factory, { from: parseRevision(from), files }));
      return revision === null ? { ok: false, reason: 'moved' } : { ok: true, revision };
    },
    // The edit that makes a revision describes it.
    describe: async () => null,
    contains: async (revision, earlier) => {
      const [number, earlierNumber] = [numberOf(revision), numberOf(earlier)];
      return number !== null && earlierNumber !== null && earlierNumber <= number ? 'yes' : 'no';
    },
    // Only this process changes the definition, and a reconciliation follows every change.
    watch: () => {},
    close: async () => {},
  };
}

function formatRevision(number: number | null): string | null {
  return number === null ? null : `live-${number}`;
}

function parseRevision(revision: string | null): number | null {
  if (revision === null) return null;
  const number = numberOf(revision);
  if (number === null) throw new AppError('internal', `${revision} is not a revision of a live factory`);
  return number;
}

/** `null` for anything else, such as a commit. */
function numberOf(revision: string): number | null {
  const number = REVISION.exec(revision)?.[1];
  return number === undefined ? null : Number(number);
}

function toTree(files: readonly LiveFile[]): SourceTree {
  const uids = files.flatMap(({ path, uid }): [string, WebhookUid][] => {
    const name = webhookNameOf(path);
    return uid === null || name === null ? [] : [[name, uid]];
  });
  const entries = files.map(({ path, text }) => createFileEntry(path, new TextEncoder().encode(text)));
  return { prefix: '', entries, uids: new Map(uids) };
}
