import { lstat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { Option } from 'commander';
import { messageOf } from '../../domain/errors.ts';
import { NOT_PUBLISHED } from '../../domain/words/publication.ts';
import { readBuildIdentity } from '../../platform/files/build-identity.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import { findWorkTreeRoot, realPathOf } from '../../reconcile/source/local-repository.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { PIPELINE_HOSTS, PIPELINE_PATHS, type PipelineHost, PRE_COMMIT_PATH } from '../offline/scaffold-checks.ts';
import type { ScaffoldFile } from '../offline/scaffold-factory.ts';
import { scaffoldFactory } from '../offline/scaffold-factory.ts';

/** `dockbell init`: creates a factory repository. */
export function declareInit(command: CliCommand, bind: Bind): void {
  command
    .argument('[dir]', 'folder to write to; created if it does not exist', '.')
    .addOption(
      new Option('--ci <host>', 'host of the pipeline that checks pull requests')
        .choices([...PIPELINE_HOSTS, 'none'])
        .default('github'),
    )
    .option('--force', 'overwrite files that exist')
    .withJson('folder and files as JSON')
    .offline()
    .explain({
      negative: 'a file already exists, so nothing was written',
      examples: [
        ['dockbell init payments-factory', 'in a new folder'],
        ['dockbell init payments-factory --ci gitlab', 'with a pipeline for GitLab'],
        ['dockbell init && dockbell validate', 'in this folder, then validate it'],
      ],
    })
    .action(bind(init));
}

interface InitOptions {
  ci: PipelineHost | 'none';
  force?: boolean;
  json?: boolean;
}

async function init(session: CommandSession, options: InitOptions, dir: string): Promise<number> {
  const { context, output } = session;
  const root = resolve(context.cwd, dir);
  const host = options.ci === 'none' ? null : options.ci;
  const files = scaffoldFactory(basename(root) || 'factory', host, findOwnCommit());
  if (!options.force) await rejectExisting(root, files);
  for (const file of files) await writeScaffold(root, file, options.force === true);
  const paths = files.map((file) => file.path);
  if (options.json) {
    output.json({ root, files: paths });
    return EXIT_CODES.done;
  }
  for (const path of paths) output.line(`  ${output.colors.green('+')} ${path}`);
  output.line(
    `\nCreated a factory in ${root}. Its README.md explains the first run: commit the files, run 'dockbell serve', create the secret, send a delivery.`,
  );
  if (host !== null) {
    output.line(
      `${NOT_PUBLISHED}: ${PIPELINE_PATHS[host]} builds it from source. Fill in DOCKBELL_REPOSITORY and DOCKBELL_COMMIT there.`,
    );
  }
  const note = await describeMisplaced(root, paths);
  if (note !== null) output.line(note);
  return EXIT_CODES.done;
}

/** The commit of this program; `null` if it is not known, or if the build contains changes that are in no commit. */
function findOwnCommit(): string | null {
  const { commit } = readBuildIdentity();
  return commit === null || commit.endsWith('-dirty') ? null : commit;
}

const READ_AT_ROOT: readonly string[] = [...Object.values(PIPELINE_PATHS), PRE_COMMIT_PATH];

/** Git hosts and pre-commit read their files at the root of a repository only. `null` if the factory is at the root. */
async function describeMisplaced(folder: string, paths: readonly string[]): Promise<string | null> {
  const real = await realPathOf(folder);
  const root = await findWorkTreeRoot(real);
  if (root === null || root === real) return null;
  const files = paths.filter((path) => READ_AT_ROOT.includes(path)).join(' and ');
  const place = relative(root, real).split(sep).join('/');
  return (
    `The folder is not the root of its repository, and ${files} are read only there. Move the parts that you need to ${root},\n` +
    `and name the folder in their commands, such as 'dockbell validate --strict -- ${place}'.`
  );
}

async function rejectExisting(root: string, files: readonly ScaffoldFile[]): Promise<void> {
  const found = await Promise.all(
    files.map(async (file) => ((await exists(join(root, file.path))) ? [file.path] : [])),
  );
  const existing = found.flat();
  if (existing.length === 0) return;
  throw new CliError(`Nothing was written: ${existing.length} of the files already exist in ${root}.`, {
    hint: [...existing.map((path) => `  ${path}`), 'Choose another folder, or overwrite the files with --force.'].join(
      '\n',
    ),
    code: 'conflict',
  });
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null;
}

async function makeParent(path: string): Promise<void> {
  try {
    await makeFolder(dirname(path));
  } catch (cause) {
    throw new CliError(messageOf(cause), { cause });
  }
}

/** Without `overwrite`, a file that was created in the meantime is not overwritten. */
async function writeScaffold(root: string, file: ScaffoldFile, overwrite: boolean): Promise<void> {
  const path = join(root, file.path);
  await makeParent(path);
  try {
    await writeFile(path, file.text, { flag: overwrite ? 'w' : 'wx', mode: file.isExecutable ? 0o755 : 0o644 });
  } catch (cause) {
    throw new CliError(`${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, { cause });
  }
}
