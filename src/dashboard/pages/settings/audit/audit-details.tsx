import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { escapeText } from '../../../../words/escape-text.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import type { AuditEntry } from '../../../api/types.ts';
import { FactList } from '../../../parts/layout/fact-list.tsx';
import { ForeignText } from '../../../parts/text/foreign-text.tsx';
import { ExactTime } from '../../../parts/time/time-text.tsx';

interface AuditDetailsProps {
  entry: AuditEntry;
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
}

const KINDS = { local: 'user', oidc: 'user of the OpenID provider', token: 'API token', link: 'login link' };

/** All that an entry says, and the way to others like it. */
export function AuditDetails({ entry, filter, onFilter }: AuditDetailsProps) {
  const { actor, object } = entry;
  return (
    <Stack gap="md" pt="xs" id={`detail-${entry.id}`}>
      <FactList
        facts={[
          ['When', <ExactTime key="when" at={entry.at} />],
          [
            'Who',
            actor === null ? (
              'nobody was recognised'
            ) : (
              <ForeignText key="who" text={`${KINDS[actor.kind]} ${actor.name}, ${actor.id}`} />
            ),
          ],
          ['From', <ForeignText key="from" text={entry.client_address} />],
          ['About', <ForeignText key="object" text={object} />],
          ['Request', `${entry.method} ${entry.route}, answered with ${entry.status}`],
          ...listChanges(entry.changes),
        ]}
      />
      <Group gap="xs">
        {actor !== null && filter.actor !== actor.id && (
          <Button size="xs" variant="default" onClick={() => onFilter({ ...filter, actor: actor.id })}>
            Only what {escapeText(actor.name)} did
          </Button>
        )}
        {filter.object !== object && (
          <Button size="xs" variant="default" onClick={() => onFilter({ ...filter, object })}>
            Only what is about this
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  sign_in: 'By',
  omitted_before: 'Tries left out before',
};

/** What was asked for, key by key. */
function listChanges(changes: AuditEntry['changes']): [string, ReactNode][] {
  return Object.entries(changes ?? {}).map(([key, value]) => [
    WORDS[key] ?? writeHeading(key),
    <ForeignText key={key} text={key === 'sign_in' ? describeValue(value).replace('_', ' ') : describeValue(value)} />,
  ]);
}

function writeHeading(key: string): string {
  const words = escapeText(key).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '[not shown]' ? 'was set, not shown' : value;
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  return value === null ? 'none' : JSON.stringify(value);
}
