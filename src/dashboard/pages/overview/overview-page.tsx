import { PageHeader } from '../../parts/page-header.tsx';
import { useFactory } from '../../shell/current-factory.ts';

/** What is live, what is wrong, and what came in. */
export function OverviewPage() {
  const factory = useFactory();
  return <PageHeader title={factory.name} lead="What is live, what is wrong, and what came in." />;
}
