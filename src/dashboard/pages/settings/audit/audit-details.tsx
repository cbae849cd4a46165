import { Button, Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { AuditEntry } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import type { AuditFilter } from '../../../api/audit.ts';
import { FactList } from '../../../parts/layout/fact-list.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { ExactTime } from '../../../parts/time/time-text.tsx';

interface AuditDetailsProps {
  entry: AuditEntry;
  filter: AuditFilter;
  onFilter: (filter: AuditFilter) => void;
}

const KINDS = {
  local: 'user',
  oidc: 'user of the OpenID provider',
  token: 'API token',
  link: 'login link',
  run: 'receiver of a run',
  daemon: 'daemon',
};

/** All details of an entry, and links to related entries. */
export function AuditDetails({ entry, filter, onFilter }: AuditDetailsProps) {
  const { actor, object } = entry;
  return (
    <Stack gap="md" pt="xs" id={`detail-${entry.id}`}>
      <FactList
        facts={[
          ['Time', <ExactTime key="when" at={entry.at} />],
          [
            'Actor',
            actor === null ? (
              'Unknown'
            ) : (
              <UntrustedText key="who" text={`${KINDS[actor.kind]} ${actor.name}, ${actor.id}`} />
            ),
          ],
          ['IP address', <UntrustedText key="from" text={entry.client_address} />],
          ['Object', <UntrustedText key="object" text={object} />],
          ['Request', `${entry.method} ${entry.route}, status ${entry.status}`],
          ...listChanges(entry.changes),
        ]}
      />
      <Group gap="xs">
        {actor !== null && filter.actor !== actor.id && (
          <Button size="xs" variant="default" onClick={() => onFilter({ ...filter, actor: actor.id })}>
            Show all actions of {escapeText(actor.name)}
          </Button>
        )}
        {filter.object !== object && (
          <Button size="xs" variant="default" onClick={() => onFilter({ ...filter, object })}>
            Show all actions on this object
          </Button>
        )}
      </Group>
    </Stack>
  );
}

const WORDS: Readonly<Record<string, string>> = {
  sign_in: 'Method',
  omitted_before: 'Earlier attempts omitted',
};

/** The changed values by key. */
function listChanges(changes: AuditEntry['changes']): [string, ReactNode][] {
  return Object.entries(changes ?? {}).map(([key, value]) => [
    WORDS[key] ?? writeHeading(key),
    <UntrustedText
      key={key}
      text={key === 'sign_in' ? describeValue(value).replace('_', ' ') : describeValue(value)}
    />,
  ]);
}

function writeHeading(key: string): string {
  const words = escapeText(key).replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function describeValue(value: unknown): string {
  if (typeof value === 'string') return value === '[not shown]' ? 'set (not shown)' : value;
  if (Array.isArray(value)) return value.map(describeValue).join(', ');
  return value === null ? 'none' : JSON.stringify(value);
}
