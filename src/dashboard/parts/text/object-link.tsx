import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface ObjectLinkProps {
  factory: string;
  kind: 'webhooks' | 'automations' | 'deliveries' | 'runs';
  /** Last part of the page's URL: an ID, or the name of an automation. */
  id: string;
  /** Shown instead of the ID. */
  children?: ReactNode;
}

/** Link to the page of one object. Shows its ID by default. */
export function ObjectLink({ factory, kind, id, children }: ObjectLinkProps) {
  const href = `/factories/${encodeURIComponent(factory)}/${kind}/${encodeURIComponent(id)}`;
  return (
    <Anchor component={Link} href={href} inherit ff={children === undefined ? 'monospace' : undefined}>
      {children ?? id}
    </Anchor>
  );
}
