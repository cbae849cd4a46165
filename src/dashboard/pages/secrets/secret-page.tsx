import { useParams } from 'wouter';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { StoryPanel } from '../../parts/story/story-panel.tsx';

/** One secret: who stored each version, and which webhooks check it. */
export function SecretPage() {
  const { id = '' } = useParams<{ id: string }>();
  return (
    <>
      <PageHeader title={id} trail={[{ label: 'Secrets', href: '/secrets' }]} />
      <StoryPanel factory={null} reference={`secret:${id}`} />
    </>
  );
}
