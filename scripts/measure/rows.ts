import { readFileSync } from 'node:fs';
import { countCodeLines, countLines, listArrows, listRooms, listSources, listTracked, median } from './source-files.ts';
import { listRearmed, measureFunctions } from './syntax.ts';

/** A measured value of the repository. A row without a limit is reported only. */
export interface Row {
  measure: string;
  value: number;
  /** The largest value that is accepted. */
  limit?: number;
  /** What the value consists of: the places to start with if it is too large. */
  details?: string[];
}

/** The shape of the repository. Reads only files that git knows. */
export function measureShape(): Row[] {
  const sources = listSources();
  const lengths = sources.map(countLines);
  const app = sources.filter((path) => isBelow(path, ['app']));
  // Rows of a list of replicas and the classes that know it do not ask.
  const askers = sources.filter((path) => /\bgroup\.isLeader\b/.test(readFileSync(path, 'utf8')));
  const documents = listTracked('docs/*.md', ':(glob)*.md');
  return [
    { measure: 'rooms below src/', value: listRooms().length, limit: 15 },
    { measure: 'rows of arrows', value: listArrows().length, limit: 15 },
    { measure: 'tracked lines', value: sum(listTracked().map(countLines)), limit: 300_000 },
    { measure: 'files of src without tests', value: sources.length },
    { measure: 'their median lines', value: median(lengths) },
    ...measureLongest(sources),
    { measure: 'files of app', value: app.length, limit: 14, details: app },
    { measure: 'lines of code in app', value: sum(app.map(countCodeLines)), limit: 1_200 },
    { measure: 'files that ask isLeader', value: askers.length, limit: 3, details: askers },
    count('outboxes', 1, sources.filter(isOutbox)),
    count('loops', 1, sources.filter((path) => !isBelow(path, ['cli', 'dashboard'])).flatMap(listLoops)),
    { measure: 'Markdown files in docs/ and the root', value: documents.length, limit: 90 },
  ];
}

const LONGEST = 60;
/** A room by its name in the table of the longest functions, and the folders that it consists of. */
const READ_TOP_DOWN: Record<string, string[]> = {
  app: ['app'],
  runs: ['runs', 'run', 'executors', 'worker'],
  api: ['api'],
  ingress: ['ingress', 'registry', 'replay', 'schedules', 'sender', 'diagnosis'],
};

function measureLongest(sources: readonly string[]): Row[] {
  return Object.entries(READ_TOP_DOWN).map(([room, folders]) => {
    const functions = sources.filter((path) => isBelow(path, folders)).flatMap(measureFunctions);
    const long = functions.filter(({ lines }) => lines > LONGEST).sort((a, b) => b.lines - a.lines);
    return {
      measure: `lines of the longest function in ${room}`,
      value: Math.max(0, ...functions.map(({ lines }) => lines)),
      limit: LONGEST,
      details: long.map(({ path, name, lines }) => `${lines} ${name} (${path})`),
    };
  });
}

/**
 * The request of a run repeats itself until its deadline. It is the attempt, not a message about it: the queue of runs stores
 * it.
 */
const ATTEMPT = /\/http-attempt\.ts$/;

/** Does the file send posts to other hosts, and decide when one is repeated? */
function isOutbox(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  const posts = isBelow(path, ['outbound']) || /from '[^']*\/send-post\.ts'/.test(text);
  return posts && text.includes('backoffMs(') && !ATTEMPT.test(path);
}

/** What arms its timer again and repeats no work. The reasons are for readers of this table. */
export const NO_LOOPS: Record<string, string> = {
  FactoryQueue: 'a delay before it claims runs that other replicas may claim',
  RepositoryWatcher: 'the end of a burst of file events',
  StepWatch: 'a deadline in processor time of another thread, which a timer can only estimate',
  watchPrincipal: 'the end of a session, which its user can extend',
  WatchedRuns: 'deadlines of run processes, in a separate process that loads no other module',
};

/** The classes and functions of a file that work and wait in turn. One of them is the loop that all others use. */
function listLoops(path: string): string[] {
  return listRearmed(path)
    .filter((owner) => !(owner in NO_LOOPS))
    .map((owner) => `${owner} (${path})`);
}

function count(measure: string, limit: number, details: string[]): Row {
  return { measure, value: details.length, limit, details };
}

function isBelow(path: string, folders: readonly string[]): boolean {
  return folders.includes(path.split('/')[1] ?? '');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
