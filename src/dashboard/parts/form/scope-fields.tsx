import { Checkbox, Group, MultiSelect, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { factoriesQuery } from '../../api/queries.ts';
import type { ScopeDraft, SecretUse } from '../../api/secrets.ts';

/** Fields for the factories that may use a secret, and for what. */
export function ScopeFields({ scope, onChange }: { scope: ScopeDraft; onChange: (scope: ScopeDraft) => void }) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const chosen = scope.factories ?? [];
  const names = [...new Set([...factories.map(({ name }) => name), ...chosen])];
  return (
    <Stack gap="sm">
      <MultiSelect
        label="Factories"
        description="Factories that may use the secret. The definition of another factory that names it is invalid."
        data={names}
        value={chosen}
        onChange={(picked) => onChange({ ...scope, factories: picked })}
        placeholder={describeChoice(scope)}
        disabled={scope.factories === null}
        withAsterisk={scope.factories !== null}
      />
      <Checkbox
        label="All factories, also later ones"
        checked={scope.factories === null}
        onChange={(event) => onChange({ ...scope, factories: event.currentTarget.checked ? null : [] })}
      />
      <Checkbox.Group
        label="Use"
        value={scope.uses}
        onChange={(uses) => onChange({ ...scope, uses: uses as SecretUse[] })}
      >
        <Group mt={6}>
          <Checkbox value="webhook" label="Webhooks: verify deliveries" />
          <Checkbox value="run" label="Runs: environment variable" />
        </Group>
      </Checkbox.Group>
    </Stack>
  );
}

/** What the field shows while no factory is selected in it. */
function describeChoice({ factories }: ScopeDraft): string | undefined {
  if (factories === null) return 'All factories';
  return factories.length === 0 ? 'Select factories' : undefined;
}
