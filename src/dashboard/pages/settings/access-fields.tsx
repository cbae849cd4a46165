import { MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Role } from '../../../client/api-types.ts';
import { factoriesQuery } from '../../api/queries.ts';
import type { Access } from '../../api/users.ts';

/** Roles with their permissions. Each role includes the previous ones. */
const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: read access, except secrets, tokens and users' },
  { value: 'operator', label: 'operator: also reconcile, replay, retry, cancel and send test deliveries' },
  { value: 'manager', label: 'manager: also change webhooks and automations' },
  { value: 'owner', label: 'owner: also manage secrets, tokens and users' },
];

interface AccessFieldsProps {
  /** The object with the role, for example "token". */
  what: string;
  access: Access;
  onChange: (access: Access) => void;
}

/** Fields for a role and the factories that it applies to. */
export function AccessFields({ what, access, onChange }: AccessFieldsProps) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const chosen = access.factories ?? [];
  // A factory that is no longer in the configuration can still be removed.
  const names = [...new Set([...factories.map(({ name }) => name), ...chosen])];
  return (
    <>
      <Select
        label="Role"
        data={ROLE_CHOICES}
        value={access.role}
        onChange={(role) => role !== null && onChange({ ...access, role: role as Role })}
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
