import { useQuery } from '@tanstack/react-query';
import { tokensQuery } from '../../../api/tokens.ts';
import { usersQuery } from '../../../api/users.ts';

/** Names of users and API tokens by their IDs; without those that are gone. */
export type NamesById = ReadonlyMap<string, string>;

export function useNamesById(): NamesById {
  const { data: users = [] } = useQuery(usersQuery);
  const { data: tokens = [] } = useQuery(tokensQuery);
  return new Map([...users, ...tokens].map(({ id, name }) => [id, name]));
}
