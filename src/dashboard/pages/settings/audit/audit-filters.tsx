import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeText } from '../../../../words/escape-text.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { factoriesQuery } from '../../../api/queries.ts';
import { tokensQuery } from '../../../api/tokens.ts';
import { usersQuery } from '../../../api/users.ts';
import { SearchSelect } from '../../../parts/form/search-select.tsx';
import { InstantField } from '../../../parts/time/instant-field.tsx';
import classes from './audit-filters.module.css';

interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
}

/** Which entries are listed. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const set = (change: Partial<AuditFilter>) => onChange({ ...filter, ...change });
  return (
    <Group align="flex-end" role="search" aria-label="Audit log" className={classes.fields}>
      <SearchSelect
        label="Who"
        placeholder="everybody"
        data={useActors(filter.actor)}
        value={filter.actor}
        onChange={(actor) => set({ actor })}
        clearable
        clearButtonProps={{ 'aria-label': 'Everybody' }}
      />
      <Select
        label="What"
        placeholder="everything"
        data={useObjects(filter.object)}
        value={filter.object}
        onChange={(object) => set({ object })}
        clearable
        clearButtonProps={{ 'aria-label': 'Everything' }}
      />
      <Select
        label="Outcome"
        placeholder="any"
        data={['done', 'refused', 'failed']}
        value={filter.outcome}
        onChange={(outcome) => set({ outcome: outcome as AuditFilter['outcome'] })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any outcome' }}
      />
      <InstantField label="From" value={filter.from} onChange={(from) => set({ from })} />
      <InstantField label="Until" value={filter.to} onChange={(to) => set({ to })} />
    </Group>
  );
}

function useActors(chosen: string | null) {
  const { data: users = [] } = useQuery(usersQuery);
  const { data: tokens = [] } = useQuery(tokensQuery);
  const toItem = ({ id, name }: { id: string; name: string }) => ({ value: id, label: escapeText(name) });
  const groups = [
    { group: 'Users', items: users.map(toItem) },
    { group: 'API tokens', items: tokens.map(toItem) },
  ];
  return withChosen(groups, chosen);
}

const TEAM_OBJECTS = [
  { value: 'session', label: 'Signing in and out' },
  { value: 'users', label: 'Users' },
  { value: 'tokens', label: 'API tokens' },
  { value: 'secrets', label: 'Secrets' },
  { value: 'deliveries', label: 'Deliveries' },
  { value: 'runs', label: 'Runs' },
];

function useObjects(chosen: string | null) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const items = factories.map(({ name }) => ({ value: `factories/${encodeURIComponent(name)}`, label: name }));
  return withChosen(
    [
      { group: 'Everywhere', items: TEAM_OBJECTS },
      { group: 'Factories', items },
    ],
    chosen,
  );
}

interface Choices {
  group: string;
  items: { value: string; label: string }[];
}

/** What an entry or an address has chosen may be none of those that are offered: somebody who is gone, one object. */
function withChosen(groups: Choices[], chosen: string | null): Choices[] {
  const isOffered = groups.some(({ items }) => items.some(({ value }) => value === chosen));
  const more = chosen === null || isOffered ? [] : [{ value: chosen, label: escapeText(chosen) }];
  return [...groups, { group: 'Chosen', items: more }].filter(({ items }) => items.length > 0);
}
