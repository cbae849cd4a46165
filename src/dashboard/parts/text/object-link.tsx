import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type ObjectKind, objectPath } from '../../paths.ts';

interface ObjectLinkProps {
  factory: string;
  kind: ObjectKind;
  /** Last part of the page's URL: an ID, or the name of an automation. */
  id: string;
  /** Shown instead of the ID. */
  children?: ReactNode;
}

/** Link to the page of one object. Shows its ID by default. */
export function ObjectLink({ factory, kind, id, children }: ObjectLinkProps) {
  const href = objectPath(factory, kind, id);
  return (
    <Anchor component={Link} href={href} inherit ff={children === undefined ? 'monospace' : undefined}>
      {children ?? id}
    </Anchor>
  );
}
