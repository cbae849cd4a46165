import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { createWebhook } from '../../api/webhook-edits.ts';
import { PageHeader } from '../../parts/page-header.tsx';
import { useFactory } from '../../shell/current-factory.ts';
import { AddWebhookForm } from './add-webhook-form.tsx';
import { FinishSetup } from './finish-setup.tsx';
import { OneTimePane } from './one-time-pane.tsx';
import { awaitsSecret, buildWebhookPath } from './webhook-names.ts';

/**
 * Create, then what is shown once, or the second step where the provider issues its secret later. The secret is held by
 * this page alone: after a reload it is gone.
 */
export function AddWebhookPage() {
  const { name: factory } = useFactory();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const {
    mutate,
    data: created,
    isPending,
    error,
  } = useMutation({
    mutationFn: createWebhook.bind(null, factory),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['factory', factory] }),
    // Not to be kept after the page is left.
    gcTime: 0,
  });
  const trail = [{ label: 'Webhooks', href: `/factories/${encodeURIComponent(factory)}/webhooks` }];
  if (created === undefined) {
    return (
      <>
        <PageHeader title="Add webhook" trail={trail} lead="An outside system gets a URL to post JSON to." />
        <AddWebhookForm onSubmit={mutate} isPending={isPending} error={error} />
      </>
    );
  }
  const leave = () => navigate(buildWebhookPath(created));
  return (
    <>
      <PageHeader title={created.name} trail={trail} />
      {awaitsSecret(created) ? (
        <FinishSetup webhook={created} onFinished={leave} onLater={leave} />
      ) : (
        <OneTimePane webhook={created} title="The webhook is live" onDone={leave} />
      )}
    </>
  );
}
