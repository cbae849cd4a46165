import { useParams } from 'wouter';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StoryPanel } from '../../parts/story/story-panel.tsx';
import { factoryPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';

/** One commit: what it changed, whether it is live, and which runs it started. */
export function CommitPage() {
  const { name: factory } = useFactory();
  const { id = '' } = useParams<{ id: string }>();
  return (
    <>
      <PageHeader
        title={`Commit ${id.slice(0, 12)}`}
        trail={[{ label: 'Reconciliations', href: factoryPath(factory, 'reconciliations') }]}
      />
      <StoryPanel factory={factory} reference={`commit:${id}`} watched={[id]} />
    </>
  );
}
