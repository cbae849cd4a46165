import { Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { Minus, Pencil, Plus } from 'lucide-react';
import { ChangedValues } from '../../parts/diff/changed-values.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import {
  type ChangedEntry,
  type ChangedSection,
  PLAN_VERBS,
  type PlanVerb,
  type ReconciliationPlan,
} from './plan-changes.ts';

const LOOKS = {
  create: { color: 'teal', icon: Plus },
  update: { color: 'blue', icon: Pencil },
  delete: { color: 'red', icon: Minus },
} as const;

/** The changes of a plan by object and key. */
export function PlanView({ plan }: { plan: ReconciliationPlan }) {
  return (
    <Stack>
      <SectionView title="Webhooks" section={plan.webhooks} restoredNote="Restored with its previous URL." />
      <SectionView title="Automations" section={plan.automations} />
    </Stack>
  );
}

interface SectionViewProps {
  title: string;
  section: ChangedSection;
  /** Shown below a restored object. */
  restoredNote?: string;
}

function SectionView({ title, section, restoredNote }: SectionViewProps) {
  const entries = PLAN_VERBS.flatMap((verb) => section[verb].map((entry) => ({ verb, entry })));
  if (entries.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={3} size="h5" mb="xs">
        {title}
      </Title>
      <Stack gap="sm">
        {entries.map(({ verb, entry }) => (
          <EntryView key={`${verb} ${entry.name}`} verb={verb} entry={entry} restoredNote={restoredNote} />
        ))}
      </Stack>
    </section>
  );
}

interface EntryViewProps extends Pick<SectionViewProps, 'restoredNote'> {
  verb: PlanVerb;
  entry: ChangedEntry;
}

function EntryView({ verb, entry: { name, restored, changes }, restoredNote }: EntryViewProps) {
  const { color, icon: Icon } = LOOKS[verb];
  return (
    <Paper withBorder p="sm">
      <Group gap="xs">
        <Badge color={color} variant="light" radius="sm" tt="none" leftSection={<Icon size={12} aria-hidden />}>
          {restored ? 'restore' : verb}
        </Badge>
        <Text fw={600} size="sm" style={{ overflowWrap: 'anywhere' }}>
          <UntrustedText text={name} />
        </Text>
      </Group>
      {restored && restoredNote !== undefined && (
        <Text size="xs" c="dimmed" mt={4}>
          {restoredNote}
        </Text>
      )}
      {changes.length > 0 && <ChangedValues name={name} changes={changes} />}
    </Paper>
  );
}
