import type { Argument, Option } from 'commander';
import { readAnswer } from '../../client/read-answer.ts';
import type { CliCommand } from '../cli-command.ts';
import type { CommandSession } from '../command-session.ts';
import type { CliContext } from '../context.ts';
import type { WordPlace } from './locate-word.ts';

/** A completion that takes longer than this disturbs more than it helps. */
const ANSWER_TIMEOUT_MS = 1_000;
/** The names are part of the words of a shell. */
const PLAIN_NAME = /^[A-Za-z0-9][\w./-]*$/;

/** The names of each kind of object; of those that the daemon has, the first 100. */
const LISTS = {
  factories: async (session: CommandSession) => {
    const { data } = await readAnswer((await session.api()).GET('/api/v1/factories', { params: { query: PAGE } }));
    return data;
  },
  webhooks: async (session: CommandSession) => {
    const params = { path: { factory: await session.factory() }, query: PAGE };
    const { data } = await readAnswer((await session.api()).GET('/api/v1/factories/{factory}/webhooks', { params }));
    return data;
  },
  automations: async (session: CommandSession) => {
    const params = { path: { factory: await session.factory() }, query: PAGE };
    const { data } = await readAnswer((await session.api()).GET('/api/v1/factories/{factory}/automations', { params }));
    return data;
  },
  secrets: async (session: CommandSession) => {
    const { data } = await readAnswer((await session.api()).GET('/api/v1/secrets', { params: { query: PAGE } }));
    return data;
  },
  profiles: async (_session: CommandSession, context: CliContext) => {
    const { ProfileStore } = await import('../profiles/profile-store.ts');
    return [...(await new ProfileStore(context).read()).profiles.keys()].map((name) => ({ name }));
  },
  rules: async () => {
    const { RULES } = await import('../../domain/rules.ts');
    return Object.keys(RULES).map((name) => ({ name }));
  },
  users: async (session: CommandSession) => {
    const { data } = await readAnswer((await session.api()).GET('/api/v1/users', { params: { query: PAGE } }));
    return data;
  },
};

const PAGE = { limit: 100 };

type Kind = keyof typeof LISTS;

/** Options and arguments whose values are names, by their name in the help. */
const KINDS: Readonly<Record<string, Kind>> = {
  '--factory': 'factories',
  '--profile': 'profiles',
  '--webhook': 'webhooks',
  '--automation': 'automations',
  '<webhook>': 'webhooks',
  '<automation>': 'automations',
  '<rule>': 'rules',
};

/** Groups whose `<name>` is an existing object, except in `create` and `add`. */
const GROUPS: Readonly<Record<string, Kind>> = {
  factory: 'factories',
  profile: 'profiles',
  secret: 'secrets',
  user: 'users',
};

/**
 * Names that fit at the cursor, most of them from the running daemon. Empty if the word stands for something else, and if no
 * daemon answers in time: a completion never fails.
 */
export async function listNames({ target, command, values }: WordPlace, context: CliContext): Promise<string[]> {
  const kind = target === null ? null : findKind(target, command);
  if (kind === null) return [];
  const { CommandSession } = await import('../command-session.ts');
  const session = new CommandSession(context, values);
  const timer = new AbortController();
  try {
    const late = context.sleep(ANSWER_TIMEOUT_MS, timer.signal).then(() => []);
    const rows: readonly { name: string }[] = await Promise.race([LISTS[kind](session, context), late]);
    return rows.map(({ name }) => name).filter((name) => PLAIN_NAME.test(name));
  } catch {
    return [];
  } finally {
    timer.abort();
    await session.close();
  }
}

function findKind(target: Option | Argument, command: CliCommand): Kind | null {
  const key = 'flags' in target ? (target.long ?? '') : `<${target.name()}>`;
  const group = command.parent?.name() ?? '';
  const isName = key === '<name>' || key === '<old>';
  const isNew = command.name() === 'create' || command.name() === 'add';
  return (isName && !isNew ? GROUPS[group] : KINDS[key]) ?? null;
}
