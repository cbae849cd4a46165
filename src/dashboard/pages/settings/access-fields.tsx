import { MultiSelect, Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TokenRole } from '../../../client/api-types.ts';
import { factoriesQuery } from '../../api/queries.ts';

/** Roles with their permissions. Each role includes the previous ones. */
const PERMISSIONS = {
  viewer: 'Read access, except secrets, tokens and users.',
  operator: 'Also reconcile, replay, retry, cancel and send test deliveries.',
  manager: 'Also change webhooks and automations.',
  owner: 'Also manage secrets, tokens and users.',
};

/** Not one of the roles that include each other. */
const WORKER = { worker: 'Claim, read and end runs, nothing else.' };

const TOKEN_PERMISSIONS: Record<TokenRole, string> = { ...PERMISSIONS, ...WORKER };

const renderRole = ({ option }: { option: { value: string } }) => (
  <div>
    <Text size="sm">{option.value}</Text>
    <Text size="xs" c="dimmed">
      {TOKEN_PERMISSIONS[option.value as TokenRole]}
    </Text>
  </div>
);

interface AccessFieldsProps<Allowed extends TokenRole> {
  /** The object with the role. Only a token can be one of a worker. */
  what: 'token' | 'user';
  access: { role: Allowed; factories: string[] | null };
  onChange: (access: { role: Allowed; factories: string[] | null }) => void;
}

/** Fields for a role and the factories that it applies to. */
export function AccessFields<Allowed extends TokenRole>({ what, access, onChange }: AccessFieldsProps<Allowed>) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const chosen = access.factories ?? [];
  // A factory that is no longer in the configuration can still be removed.
  const names = [...new Set([...factories.map(({ name }) => name), ...chosen])];
  return (
    <>
      <Select
        label="Role"
        description={TOKEN_PERMISSIONS[access.role]}
        data={Object.keys(what === 'token' ? TOKEN_PERMISSIONS : PERMISSIONS)}
        renderOption={renderRole}
        value={access.role}
        onChange={(role) => role !== null && onChange({ ...access, role: role as Allowed })}
        allowDeselect={false}
      />
      <MultiSelect
        label="Factories"
        description={`Factories that the ${what} can access. Leave empty for all. A limited ${what} has no access to secrets, tokens and users, regardless of its role.`}
        data={names}
        value={chosen}
        onChange={(picked) => onChange({ ...access, factories: picked.length === 0 ? null : picked })}
        placeholder={chosen.length === 0 ? 'All factories' : undefined}
      />
    </>
  );
}
