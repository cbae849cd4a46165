import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { factoriesQuery } from '../../../api/queries.ts';
import { tokensQuery } from '../../../api/tokens.ts';
import { usersQuery } from '../../../api/users.ts';
import { SearchSelect } from '../../../parts/form/search-select.tsx';
import { InstantField } from '../../../parts/time/instant-field.tsx';
import classes from './audit-filters.module.css';

export const NO_FILTER: AuditFilter = { actor: null, object: null, outcome: null, include: null, from: null, to: null };

const OUTCOMES = ['done', 'refused', 'failed', 'unanswered'] as const;

const INCLUDES = [
  { value: 'reads', label: 'Reads' },
  { value: 'all', label: 'Changes and reads' },
] as const;

/** Reads the filter from the URL. */
export function readAuditFilter(search: URLSearchParams): AuditFilter {
  return {
    actor: search.get('actor'),
    object: search.get('object'),
    outcome: OUTCOMES.find((outcome) => outcome === search.get('outcome')) ?? null,
    include: INCLUDES.find(({ value }) => value === search.get('include'))?.value ?? null,
    from: readInstant(search.get('from')),
    to: readInstant(search.get('to')),
  };
}

export function writeAuditFilter(filter: AuditFilter): Record<string, string> {
  const asked = Object.entries(filter).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(asked);
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.values(filter).some((value) => value !== null);
}

function readInstant(text: string | null): string | null {
  const atMs = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(atMs) ? null : new Date(atMs).toISOString();
}

interface AuditFiltersProps {
  filter: AuditFilter;
  onChange: (filter: AuditFilter) => void;
}

/** Filters of the audit log. */
export function AuditFilters({ filter, onChange }: AuditFiltersProps) {
  const set = (change: Partial<AuditFilter>) => onChange({ ...filter, ...change });
  return (
    <Group align="flex-end" role="search" aria-label="Audit log" className={classes.fields}>
      <SearchSelect
        label="Actor"
        placeholder="Anyone"
        data={useActors(filter.actor)}
        value={filter.actor}
        onChange={(actor) => set({ actor })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any actor' }}
      />
      <Select
        label="Object"
        placeholder="Any"
        data={useObjects(filter.object)}
        value={filter.object}
        onChange={(object) => set({ object })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any object' }}
      />
      <Select
        label="Outcome"
        placeholder="Any"
        data={[...OUTCOMES]}
        value={filter.outcome}
        onChange={(outcome) => set({ outcome: outcome as AuditFilter['outcome'] })}
        clearable
        clearButtonProps={{ 'aria-label': 'Any outcome' }}
      />
      <Select
        label="Entries"
        placeholder="Changes"
        data={[...INCLUDES]}
        value={filter.include}
        onChange={(include) => set({ include: include as AuditFilter['include'] })}
        clearable
        clearButtonProps={{ 'aria-label': 'Only changes' }}
      />
      <InstantField label="From" value={filter.from} onChange={(from) => set({ from })} />
      <InstantField label="To" value={filter.to} onChange={(to) => set({ to })} />
    </Group>
  );
}

function useActors(selected: string | null) {
  const { data: users = [] } = useQuery(usersQuery);
  const { data: tokens = [] } = useQuery(tokensQuery);
  const toItem = ({ id, name }: { id: string; name: string }) => ({ value: id, label: escapeText(name) });
  const groups = [
    { group: 'Users', items: users.map(toItem) },
    { group: 'API tokens', items: tokens.map(toItem) },
  ];
  return withSelected(groups, selected);
}

const TEAM_OBJECTS = [
  { value: 'session', label: 'Sign-in and sign-out' },
  { value: 'users', label: 'Users' },
  { value: 'tokens', label: 'API tokens' },
  { value: 'secrets', label: 'Secrets' },
  { value: 'deliveries', label: 'Deliveries' },
  { value: 'runs', label: 'Runs' },
];

function useObjects(selected: string | null) {
  const { data: factories = [] } = useQuery(factoriesQuery);
  const items = factories.map(({ name }) => ({ value: `factories/${encodeURIComponent(name)}`, label: name }));
  return withSelected(
    [
      { group: 'All factories', items: TEAM_OBJECTS },
      { group: 'Factories', items },
    ],
    selected,
  );
}

interface Choices {
  group: string;
  items: { value: string; label: string }[];
}

/** Adds the selected value if it is not an option, for example a deleted user or a single object. */
function withSelected(groups: Choices[], selected: string | null): Choices[] {
  const isOffered = groups.some(({ items }) => items.some(({ value }) => value === selected));
  const more = selected === null || isOffered ? [] : [{ value: selected, label: escapeText(selected) }];
  return [...groups, { group: 'Selected', items: more }].filter(({ items }) => items.length > 0);
}
