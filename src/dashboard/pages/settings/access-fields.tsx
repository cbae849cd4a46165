import { MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { factoriesQuery } from '../../api/queries.ts';
import type { Role } from '../../api/types.ts';
import type { Access } from '../../api/users.ts';

/** Roles with what they may; each holds the earlier. */
const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'viewer: reads all but secrets, tokens and users' },
  { value: 'operator', label: 'operator: also reconciles, replays, cancels and sends test deliveries' },
  { value: 'manager', label: 'manager: also changes webhooks and automations' },
  { value: 'owner', label: 'owner: also manages secrets, tokens and users' },
];

interface AccessFieldsProps {
  /** Who or what is limited, for example "token". */
  what: string;
  access: Access;
  onChange: (access: Access) => void;
}

/** A role, and the factories that it counts for. */
export function AccessFields({ what, access, onChange }: AccessFieldsProps) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const chosen = access.factories ?? [];
  // A factory that the configuration does not name any more can still be taken away.
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
        description={`What the ${what} is limited to; none chosen means all. A limited ${what} reaches no secrets, tokens or users, whatever the role.`}
        data={names}
        value={chosen}
        onChange={(picked) => onChange({ ...access, factories: picked.length === 0 ? null : picked })}
        placeholder={chosen.length === 0 ? 'all' : undefined}
      />
    </>
  );
}
