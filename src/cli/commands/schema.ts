import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Argument } from 'commander';
import type { SchemaName } from '../../definitions/yaml/schemas.ts';
import { readSchema, readSchemaText, SCHEMA_NAMES } from '../../definitions/yaml/schemas.ts';
import { makeFolder } from '../../platform/files/make-folder.ts';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';

interface SchemaOptions {
  dir?: string;
  json?: boolean;
}

/** `dockbell schema`: the JSON Schemas that editors use. */
export function declareSchema(command: CliCommand, bind: Bind): void {
  command
    .addArgument(
      new Argument('[name]', 'the schema to print; without it, all schemas are listed').choices(SCHEMA_NAMES),
    )
    .option('--dir <dir>', 'write NAME.schema.json to this folder: the schema that is named, or all')
    .withJson('the list as JSON')
    .offline()
    .explain({
      more: 'A running daemon serves the same schemas under /api/v1/schemas, without a token.',
      examples: [
        ['dockbell schema', 'all schemas'],
        ['dockbell schema webhook', 'one schema'],
        ['dockbell schema --dir schemas', 'update the copies that "dockbell init" wrote'],
      ],
    })
    .action(bind(showSchema));
}

async function showSchema(session: CommandSession, options: SchemaOptions, name?: SchemaName): Promise<number> {
  const { output } = session;
  if (options.dir !== undefined) await writeSchemas(session, options.dir, name === undefined ? SCHEMA_NAMES : [name]);
  else if (name !== undefined) output.bytes(Buffer.from(readSchemaText(name)));
  else listSchemas(session, options.json === true);
  return EXIT_CODES.done;
}

function listSchemas({ output }: CommandSession, asJson: boolean): void {
  const rows = SCHEMA_NAMES.map((name) => {
    const { title, description } = readSchema(name);
    return { name, title: String(title), description: String(description) };
  });
  if (asJson) output.json({ data: rows, next_cursor: null });
  else output.fields(rows.map(({ name, description }) => [name, description]));
}

/** Overwrites existing files, which are copies that nobody edits. */
async function writeSchemas(
  { context, output }: CommandSession,
  dir: string,
  names: readonly SchemaName[],
): Promise<void> {
  const folder = resolve(context.cwd, dir);
  for (const name of names) {
    const path = join(folder, `${name}.schema.json`);
    try {
      await makeFolder(folder);
      await writeFile(path, readSchemaText(name));
    } catch (cause) {
      throw new CliError(`${path} cannot be written (${(cause as NodeJS.ErrnoException).code}).`, { cause });
    }
    output.line(path);
  }
}
