import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import type { Story } from '../../../client/api-types.ts';
import { objectPath, secretPath } from '../../paths.ts';
import { UntrustedText } from '../text/untrusted-text.tsx';

type ObjectRef = Story['subject'];

const PAGES = {
  delivery: 'deliveries',
  run: 'runs',
  webhook: 'webhooks',
  automation: 'automations',
  commit: 'commits',
  reconciliation: 'reconciliations',
} as const;

/** Link to the page of an object of a story. */
export function StoryLink({ link: { kind, factory, id, name } }: { link: ObjectRef }) {
  const href = kind === 'secret' || factory === null ? secretPath(id) : objectPath(factory, PAGES[kind], id);
  return (
    <Anchor component={Link} href={href} inherit underline="always">
      {kind} <UntrustedText text={name} />
    </Anchor>
  );
}
