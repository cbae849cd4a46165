import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { locate, readDocument } from '../helpers/documents.ts';

const PAGE = readDocument('docs/architecture.md');
const PATHS = readdirSync(locate('docs/architecture/')).map((name) => `docs/architecture/${name}`);

interface Rule {
  name: string;
  from: { path?: string };
  to: { pathNot?: string };
}

/** Folder → its allowed imports, as `npm run arrows` checks them. */
function readArrows(): Map<string, string> {
  const { forbidden } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as { forbidden: Rule[] };
  const own = forbidden.filter(({ name }) => name.includes('-imports-only-'));
  return new Map(
    own.map(({ from, to }) => {
      const [folder = '', ...may] = /\((.*)\)/.exec(to.pathNot ?? '')![1]!.split('|');
      expect(from.path).toBe(`^src/${folder}/`);
      return [folder, may.join(', ') || 'nothing'];
    }),
  );
}

describe('docs/architecture.md', () => {
  const rooms = [...PAGE.matchAll(/^\| `([\w-]+)\/` \| `([^`]*)` \| .* \| ([^|]*) \|$/gm)];

  it('lists the imports that are checked', () => {
    expect(new Map(rooms.map(([, room, , may]) => [room!, may!.trim()]))).toEqual(readArrows());
  });

  it('has a row for each folder', () => {
    const folders = readdirSync(locate('src/'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map(([, room]) => room).sort()).toEqual(folders.map(({ name }) => name).sort());
  });

  it.each(rooms.map(([, room, entrance]) => `src/${room}/${entrance}`))(
    'names an entrance with a comment: %s',
    (file) => {
      expect(readEntrance(readDocument(file)).length).toBeGreaterThan(3);
    },
  );
});

/** The comment at the top of the entrance file of a room or folder. */
function readEntrance(source: string): string[] {
  const [lines = ''] = /^(?:\/\/ .*\n)*/.exec(source)!;
  return lines.split('\n').slice(0, -1);
}

describe('the entrance comments', () => {
  const entrances = readdirSync(locate('src/'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.tsx?$/.test(name))
    .map((name) => ({ file: `src/${name}`, lines: readEntrance(readDocument(`src/${name}`)) }))
    .filter(({ lines }) => lines.length > 1);

  it('name files that exist', () => {
    const missing = entrances.flatMap(({ file, lines }) => {
      const folder = file.slice(0, file.lastIndexOf('/') + 1);
      const text = lines.join('\n');
      const named = [...text.matchAll(/`([\w./-]+(?:\.tsx?|\/))`/g)].map(([, path]) => path!);
      const pages = text.match(/docs\/[\w/-]+\.md/g) ?? [];
      const isMissing = (path: string) => !existsSync(locate(folder + path)) && !existsSync(locate(`src/${path}`));
      const missing = [...named.filter(isMissing), ...pages.filter((page) => !existsSync(locate(page)))];
      return missing.map((path) => `${file}: ${path}`);
    });
    expect(missing).toEqual([]);
  });

  it('exist for rooms and for large folders', () => {
    expect(entrances.length).toBeGreaterThan(40);
  });
});

/** The names that a file declares, members and properties included. */
function listDeclared(file: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    const name = ts.isImportSpecifier(node) || ts.isParameter(node) ? undefined : (node as ts.NamedDeclaration).name;
    if (name !== undefined && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name))) names.add(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readDocument(file), ts.ScriptTarget.Latest));
  return names;
}

/** In a cell of a table: `file`: `name`, `name`; `file`: `name`. In a sentence: `name` in `file`. */
function listNamed(page: string): { file: string; name: string }[] {
  const cells = [...page.matchAll(/`([\w./-]+\.ts)`: ((?:`#?\w+`(?:, )?)+)/g)].flatMap(([, file, names]) =>
    [...names!.matchAll(/`(#?\w+)`/g)].map(([, name]) => ({ file: file!, name: name! })),
  );
  const sentences = [...page.matchAll(/`(#?\w+)`\s+in\s+`([\w./-]+\.ts)`/g)];
  return [...cells, ...sentences.map(([, name, file]) => ({ file: file!, name: name! }))];
}

describe.each(PATHS)('%s', (path) => {
  const page = readDocument(path);
  const code = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text!);
  const files = code.filter((text) => /^[\w-]+\/[\w./-]*$/.test(text) && text !== 'src/');

  it('names files and folders that exist', () => {
    expect(files.length).toBeGreaterThan(8);
    expect(files.filter((file) => !existsSync(locate(`src/${file}`)))).toEqual([]);
  });

  it('names functions of these files', () => {
    const named = listNamed(page);
    expect(named.length).toBeGreaterThan(8);
    expect(named.filter(({ file, name }) => !listDeclared(`src/${file}`).has(name))).toEqual([]);
  });

  it('names nothing else that its files do not contain', () => {
    const text = files.filter((file) => file.endsWith('.ts')).map((file) => readDocument(`src/${file}`));
    const words = code.filter((word) => /^#?[a-z]+[A-Z]\w*$|^[A-Z][a-z]+[A-Z]\w*$|^[A-Z]+_[A-Z_]+$/.test(word));
    const all = new Set(text.join('\n').match(/#?\w+/g));
    expect(words.filter((word) => !all.has(word))).toEqual([]);
  });
});

it('the page about a POST lists the steps in the order of the code', () => {
  const [, list = ''] = /const STEPS[^[]*\[\]? = \[([^\]]*)\]/.exec(readDocument('src/ingress/handle-delivery.ts'))!;
  const steps = [...list.matchAll(/^ {2}(\w+),/gm)].map(([, step]) => step!);
  const named = listNamed(readDocument('docs/architecture/post-to-run.md')).map(({ name }) => name);
  expect(steps.length).toBe(8);
  expect(named.filter((name) => steps.includes(name))).toEqual(steps);
});
