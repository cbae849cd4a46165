import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { automationsQuery } from '../../api/automations.ts';
import type { Webhook } from '../../api/types.ts';
import { ForeignText } from '../../parts/text/foreign-text.tsx';
import { ObjectLink } from '../../parts/text/object-link.tsx';

/** The automations that a delivery to the webhook may start. */
export function Listeners({ webhook: { factory, uid } }: { webhook: Webhook }) {
  const { data } = useQuery(automationsQuery(factory));
  if (data === undefined) return null;
  const listeners = data.filter(({ triggers }) => triggers.some(({ listens_to }) => listens_to.includes(uid)));
  if (listeners.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        No automation uses this webhook yet
      </Text>
    );
  }
  return listeners.map(({ name, enabled }, i) => (
    <span key={name}>
      {i > 0 && ', '}
      <ObjectLink factory={factory} kind="automations" id={name}>
        <ForeignText text={name} />
      </ObjectLink>
      {!enabled && ' (disabled)'}
    </span>
  ));
}
