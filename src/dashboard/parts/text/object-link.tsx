import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface ObjectLinkProps {
  factory: string;
  kind: 'webhooks' | 'automations' | 'deliveries' | 'runs';
  /** What the address of its page ends with: an ID, of an automation its name. */
  id: string;
  /** What is shown in the place of the ID. */
  children?: ReactNode;
}

/** To the page of one thing; shows its ID unless told otherwise. */
export function ObjectLink({ factory, kind, id, children }: ObjectLinkProps) {
  const href = `/factories/${encodeURIComponent(factory)}/${kind}/${encodeURIComponent(id)}`;
  return (
    <Anchor component={Link} href={href} inherit ff={children === undefined ? 'monospace' : undefined}>
      {children ?? id}
    </Anchor>
  );
}
