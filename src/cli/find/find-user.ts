import type { User } from '../../client/api-types.ts';
import type { ApiClient } from '../../client/create-api-client.ts';
import { listRows } from '../../client/list-rows.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { escapeText } from '../../domain/words/escape-text.ts';
import { CliError } from '../exit-codes.ts';
import { describeIdForms, pickById } from './find-id.ts';

export const USER_ARGUMENT = `the user: the name, ${describeIdForms('usr')}`;

/** The user with a name, or with an ID. Throws `CliError` if there is none. */
export async function findUser(api: ApiClient, name: string): Promise<User> {
  const { data } = await listRows((page) => readAnswer(api.GET('/api/v1/users', { params: { query: page } })), null);
  const wanted = name.toLowerCase();
  const named = data.find((user) => user.kind === 'local' && user.name.toLowerCase() === wanted);
  const found = named ?? pickById({ what: 'user', type: 'usr' }, name, data);
  if (found !== null) return found;
  throw new CliError(`There is no user ${escapeText(name)}.`, {
    code: 'not_found',
    hint: "'dockbell user list' shows all. Users of the OpenID provider are named by their ID.",
  });
}
