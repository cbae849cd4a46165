import { resolve } from 'node:path';
import type { CliCommand } from '../cli-command.ts';
import type { Bind, CommandSession } from '../command-session.ts';
import { requireAddress, requireToken } from '../connection.ts';
import { CliError, EXIT_CODES } from '../exit-codes.ts';
import { type ConfirmOptions, confirm } from '../input/confirm.ts';
import { readSecretValue } from '../input/read-secret-value.ts';
import { printList } from '../output/print-result.ts';
import { type ProfileRow, RESULT_KINDS } from '../output/result-kinds.ts';
import type { ResultOptions } from '../output/result-options.ts';
import type { Column } from '../output/table.ts';
import { type Profile, ProfileStore, requireProfileName } from '../profiles/profile-store.ts';

const NAME = 'name of the profile';

const ORDER =
  'Options come first: --url or --data-dir, else --profile. Then come variables: DOCKBELL_URL, DOCKBELL_DATA_DIR,\n' +
  "DOCKBELL_PROFILE. If none is set, commands use the 'dockbell dev' of this folder, then its data directory if it\n" +
  'exists, then the profile in use. With a profile, variables with tokens are ignored.';

/** `dockbell profile …`: named connections. */
export function declareProfile(profile: CliCommand, bind: Bind): void {
  profile
    .command('add')
    .argument('<name>', NAME)
    .description(
      'add a profile with --url or --data-dir, and with --factory as its default. Without --token-file, the token for --url is read from standard input, hidden when typed',
    )
    .option('--use', 'use the profile from now on')
    .option('--force', 'replace a profile of this name')
    .explain({
      negative: 'the profile exists',
      more: 'Profiles are stored in $XDG_CONFIG_HOME/dockbell (default: ~/.config/dockbell), in files with mode 0600. A file that other\nusers can access is not used. The token is never printed, and is sent to the address of its profile only.',
      examples: [
        ['dockbell profile add prod --url https://admin.example.com --use', 'asks for the token'],
        [
          'dockbell profile add prod --url https://admin.example.com < token.txt',
          'the token from a file, which is copied',
        ],
        [
          'dockbell profile add ci --url https://admin.example.com --token-file /run/secrets/dockbell',
          'read each time',
        ],
        ['dockbell profile add local --data-dir /var/lib/dockbell', 'a daemon on this machine'],
      ],
    })
    .action(bind(addProfile));
  profile
    .command('list')
    .description('list profiles, and which one is in use; never a token')
    .withResult(RESULT_KINDS.profile)
    .offline()
    .explain({ more: ORDER, examples: [['dockbell profile list', 'all profiles of the user']] })
    .action(bind(listProfiles));
  profile
    .command('use')
    .argument('[name]', NAME)
    .description('use a profile in folders without a data directory')
    .option('--none', 'use no profile')
    .offline()
    .explain({
      negative: 'the profile does not exist',
      more: ORDER,
      examples: [
        ['dockbell profile use prod', 'then see where commands connect: dockbell status'],
        ['dockbell profile use --none', 'until the next dockbell profile use'],
      ],
    })
    .action(bind(chooseProfile));
  profile
    .command('remove')
    .argument('<name>', NAME)
    .description('remove a profile, and the token that was stored with it; the token still works')
    .withYes()
    .offline()
    .explain({
      negative: 'the profile does not exist',
      examples: [['dockbell profile remove prod', "to revoke its token, see 'dockbell token revoke'"]],
    })
    .action(bind(removeProfile));
}

async function addProfile(
  session: CommandSession,
  { use, force }: { use?: boolean; force?: boolean },
  name: string,
): Promise<number> {
  requireProfileName(name);
  const store = new ProfileStore(session.context);
  const { current, profiles } = await store.read();
  if (profiles.has(name) && !force) {
    throw new CliError(`The profile ${name} exists.`, {
      code: 'conflict',
      hint: 'Use --force to replace it.',
    });
  }
  const profile = await readProfile(session, store, name);
  await store.write({ current: use ? name : current, profiles: new Map([...profiles, [name, profile]]) });
  session.output.line(`Added the profile ${name}: ${describeTarget(profile)}.`);
  if (!use && current !== name)
    session.output.note(`Use it with --profile ${name}, or run 'dockbell profile use ${name}'.`);
  return EXIT_CODES.done;
}

/** The profile that the options describe. The token of standard input is stored. */
async function readProfile(session: CommandSession, store: ProfileStore, name: string): Promise<Profile> {
  const { context, globals, named } = session;
  const { url, dataDir, token, tokenFile } = globals;
  if ((url === undefined) === (dataDir === undefined)) {
    throw new CliError('Specify the daemon with --url or with --data-dir.');
  }
  const factory = named ?? null;
  const given = tokenFile === undefined ? null : resolve(context.cwd, tokenFile);
  if (dataDir !== undefined) {
    return { url: null, data_dir: resolve(context.cwd, dataDir), token_file: given, factory };
  }
  const address = requireAddress(url!);
  if (given !== null) return { url: address, data_dir: null, token_file: given, factory };
  const read = token ?? (await readSecretValue(context, `API token for ${address}`));
  return { url: address, data_dir: null, token_file: await store.writeToken(name, requireToken(read.trim())), factory };
}

async function listProfiles(session: CommandSession, options: ResultOptions): Promise<number> {
  const { current, profiles } = await new ProfileStore(session.context).read();
  const data = [...profiles].map(([name, profile]) => ({ name, current: name === current, ...profile }));
  const empty = "No profiles. Add one with 'dockbell profile add NAME --url URL'.";
  await printList(session, options, {
    kind: RESULT_KINDS.profile,
    page: { data, next_cursor: null },
    columns: COLUMNS,
    empty,
  });
  return EXIT_CODES.done;
}

const COLUMNS: Column<ProfileRow>[] = [
  { head: 'NAME', text: ({ name }) => name, narrow: 'whole' },
  { head: 'IN USE', text: ({ current }) => (current ? 'yes' : '-'), narrow: 'whole' },
  { head: 'DAEMON', text: describeTarget, narrow: 'whole' },
  { head: 'FACTORY', text: ({ factory }) => factory ?? '-', narrow: 'whole', drop: 1 },
  { head: 'TOKEN FILE', text: ({ token_file: file }) => file ?? '-', narrow: 'below', lead: 'token file: ' },
];

function describeTarget({ url, data_dir: dataDir }: Profile): string {
  return url ?? dataDir ?? '-';
}

async function chooseProfile(
  session: CommandSession,
  { none }: { none?: boolean },
  name: string | undefined,
): Promise<number> {
  if ((name === undefined) === (none === undefined)) throw new CliError('Specify a profile, or --none.');
  const store = new ProfileStore(session.context);
  const { profiles } = await store.read();
  const profile = name === undefined ? null : await store.require(name);
  await store.write({ current: name ?? null, profiles });
  session.output.line(
    profile === null ? 'No profile is in use.' : `Using the profile ${name}: ${describeTarget(profile)}.`,
  );
  return EXIT_CODES.done;
}

async function removeProfile(session: CommandSession, options: ConfirmOptions, name: string): Promise<number> {
  const store = new ProfileStore(session.context);
  const profile = await store.require(name);
  const isConfirmed = await confirm(session, options, {
    action: `Remove the profile ${name}`,
    effects: [`Commands no longer find ${describeTarget(profile)} by this name.`],
  });
  if (!isConfirmed) return EXIT_CODES.done;
  const { current, profiles } = await store.read();
  await store.write({
    current: current === name ? null : current,
    profiles: new Map([...profiles].filter(([other]) => other !== name)),
  });
  await store.removeToken(name);
  session.output.line(`Removed the profile ${name}.`);
  return EXIT_CODES.done;
}
