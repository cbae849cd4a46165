import { isJsonObject, type Json, type JsonObject, type JsonSchema } from '../json.ts';

/** Name of the file in which a run describes what it did. */
export const OUTPUT_FILE = 'result.json';

/** Limits of `result.json`. */
export const MAX_OUTPUT_BYTES = 16_384;
export const MAX_SUMMARY_CHARACTERS = 4_000;
export const MAX_LINKS = 20;
export const MAX_ARTIFACTS = 50;
/** Limits of the files that are kept as artifacts: of one, and of all of an attempt. */
export const MAX_ARTIFACT_BYTES = 52_428_800;
export const MAX_ARTIFACTS_BYTES = 104_857_600;
const MAX_TITLE_CHARACTERS = 200;
const MAX_URL_CHARACTERS = 2_000;
const MAX_PATH_CHARACTERS = 1_000;
const MAX_PROBLEM_CHARACTERS = 1_000;

/** What a run says about its work. */
export interface RunOutput {
  summary: string | null;
  links: { title: string; url: string }[];
  /** Files in the directory of the run. */
  artifacts: { name: string; path: string }[];
  /** Why `result.json` is not used, as a sentence; `null` if it is. */
  problem: string | null;
}

const text: JsonSchema = { type: 'string' };
const closed = (properties: { [name: string]: JsonSchema }): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties,
});

/** Schema of a `RunOutput` in API answers. */
export const RUN_OUTPUT_SCHEMA: JsonSchema = {
  ...closed({
    summary: { type: ['string', 'null'] },
    links: { type: 'array', items: closed({ title: text, url: text }) },
    artifacts: { type: 'array', items: closed({ name: text, path: text }) },
    problem: {
      type: ['string', 'null'],
      description: 'Why `result.json` of the run is not used; `null` if it is.',
    },
  }),
  type: ['object', 'null'],
};

/** An output that cannot be used. */
export function rejectOutput(problem: string): RunOutput {
  return { summary: null, links: [], artifacts: [], problem: `${OUTPUT_FILE} is not used: ${problem}` };
}

/** Reads the text of `result.json`. Never throws: the run chose every byte of it. */
export function parseRunOutput(source: string): RunOutput {
  let value: Json;
  try {
    value = JSON.parse(source);
  } catch (error) {
    return rejectOutput(`it is not valid JSON: ${withoutExcerpt(error as Error)}`);
  }
  return readRunOutput(value);
}

/** The message without the part of the text that it quotes: no mask recognizes half of a secret. */
function withoutExcerpt({ message }: Error): string {
  return message.replace(/, (\.\.\.)?".*"(\.\.\.)?/s, '');
}

/** Checks the value of `result.json`. Never throws. */
function readRunOutput(value: Json | undefined): RunOutput {
  try {
    return checkOutput(value);
  } catch (error) {
    if (error instanceof Invalid) return rejectOutput(error.message);
    throw error;
  }
}

/** Reads the output that a worker or a receiver reports: the value of `result.json`, or a `RunOutput`. Never throws. */
export function readReportedOutput(value: Json | undefined): RunOutput {
  if (!isJsonObject(value) || !Object.hasOwn(value, 'problem')) return readRunOutput(value);
  const { problem, ...output } = value;
  if (typeof problem !== 'string') return readRunOutput(output);
  return { summary: null, links: [], artifacts: [], problem: dropHalfPairs(problem) };
}

/**
 * Masks each text that people see, as the run wrote it. Only then, URLs get the form of the URL parser and problems their
 * limit: no mask recognizes a secret that is encoded or cut. The parser also removes characters, so URLs are masked again.
 */
export async function maskTexts(output: RunOutput, mask: (text: string) => Promise<string>): Promise<RunOutput> {
  const maskBoth = async <Pair extends { [key: string]: string }>(pair: Pair): Promise<Pair> => {
    const entries = Object.entries(pair).map(async ([key, value]) => [key, await mask(value)]);
    return Object.fromEntries(await Promise.all(entries));
  };
  const maskLink = async (link: RunOutput['links'][number]) => {
    const { title, url } = await maskBoth(link);
    return { title, url: await mask(normalizeUrl(url)) };
  };
  return {
    summary: output.summary === null ? null : await mask(output.summary),
    links: await Promise.all(output.links.map(maskLink)),
    artifacts: await Promise.all(output.artifacts.map(maskBoth)),
    problem: output.problem === null ? null : cutProblem(await mask(output.problem)),
  };
}

/** A mark in the host is not part of a URL. */
function normalizeUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

function cutProblem(problem: string): string {
  return dropHalfPairs(problem.slice(0, MAX_PROBLEM_CHARACTERS));
}

/** Half of a surrogate pair cannot be stored as UTF-8. */
function dropHalfPairs(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{fffd}');
}

/** The text that a search of runs looks in, in lower case. */
export function textOfOutput({ summary, links, artifacts }: RunOutput): string {
  const texts = [
    summary ?? '',
    ...links.flatMap(({ title, url }) => [title, url]),
    ...artifacts.map(({ name }) => name),
  ];
  return texts.join('\n').toLowerCase();
}

/** The message completes the sentence that begins with the name of the file. */
class Invalid extends Error {}

const KEYS = ['summary', 'links', 'artifacts'];

function checkOutput(value: Json | undefined): RunOutput {
  const output = readObject(value, 'its value', KEYS);
  const { summary = null, links = [], artifacts = [] } = output;
  return {
    summary: summary === null ? null : readText(summary, 'summary', MAX_SUMMARY_CHARACTERS),
    links: readList(links, 'links', MAX_LINKS).map((link, index) => readLink(link, `links[${index}]`)),
    artifacts: readList(artifacts, 'artifacts', MAX_ARTIFACTS).map((artifact, index) =>
      readArtifact(artifact, `artifacts[${index}]`),
    ),
    problem: null,
  };
}

function readLink(value: Json, place: string): RunOutput['links'][number] {
  const { title, url } = readObject(value, place, ['title', 'url']);
  const checked = readText(url, `${place}.url`, MAX_URL_CHARACTERS);
  const parsed = URL.canParse(checked) ? new URL(checked) : null;
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol) || parsed.username + parsed.password !== '') {
    throw new Invalid(`${place}.url must be an http or https URL without a password`);
  }
  return { title: readText(title, `${place}.title`, MAX_TITLE_CHARACTERS), url: checked };
}

function readArtifact(value: Json, place: string): RunOutput['artifacts'][number] {
  const { name, path } = readObject(value, place, ['name', 'path']);
  const checked = readText(path, `${place}.path`, MAX_PATH_CHARACTERS);
  const isInside = checked.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isInside || checked.includes('\0')) {
    throw new Invalid(`${place}.path must be a path inside the directory of the run, such as reports/tests.html`);
  }
  return { name: readText(name, `${place}.name`, MAX_TITLE_CHARACTERS), path: checked };
}

function readObject(value: Json | undefined, place: string, keys: readonly string[]): JsonObject {
  if (!isJsonObject(value)) throw new Invalid(`${place} must be an object`);
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown === undefined) return value;
  throw new Invalid(`${place} has the unknown key ${JSON.stringify(unknown)}; it can have ${keys.join(', ')}`);
}

function readList(value: Json, place: string, limit: number): Json[] {
  if (!Array.isArray(value)) throw new Invalid(`${place} must be a list`);
  if (value.length > limit) throw new Invalid(`${place} has ${value.length} entries; the limit is ${limit}`);
  return value;
}

function readText(value: Json | undefined, place: string, limit: number): string {
  if (typeof value !== 'string' || value.trim() === '') throw new Invalid(`${place} must be a text that is not empty`);
  if (value.length > limit) throw new Invalid(`${place} is longer than ${limit} characters`);
  return dropHalfPairs(value);
}
