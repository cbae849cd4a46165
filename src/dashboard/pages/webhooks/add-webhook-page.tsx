import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FileCode2, LockKeyhole } from 'lucide-react';
import { useLocation } from 'wouter';
import type { Factory } from '../../../client/api-types.ts';
import { createWebhook } from '../../api/webhook-edits.ts';
import { EmptyState } from '../../parts/layout/empty-state.tsx';
import { PageHeader } from '../../parts/layout/page-header.tsx';
import { factoryPath, objectPath } from '../../paths.ts';
import { useFactory } from '../../shell/context/current-factory.ts';
import { useSessionUser } from '../../shell/context/session-user.ts';
import { AddWebhookForm } from './add-webhook-form.tsx';
import { FinishSetup } from './finish-setup.tsx';
import { HowToCommit, useMayEditWebhooks } from './no-webhooks.tsx';
import { OneTimePane } from './one-time-pane.tsx';
import { awaitsSecret } from './webhook-names.ts';

/** The form for a new webhook, or an explanation if the user cannot add one here. */
export function AddWebhookPage() {
  const factory = useFactory();
  const mayAdd = useMayEditWebhooks(factory);
  const trail = [{ label: 'Webhooks', href: factoryPath(factory.name, 'webhooks') }];
  if (mayAdd) return <Adding factory={factory.name} trail={trail} />;
  return (
    <>
      <PageHeader title="Add webhook" trail={trail} />
      <NotHere factory={factory} />
    </>
  );
}

function NotHere({ factory }: { factory: Factory }) {
  const { role } = useSessionUser();
  if (factory.source?.type === 'repository') {
    return (
      <EmptyState icon={FileCode2} title="Webhooks are managed in Git">
        <HowToCommit factory={factory} />
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={LockKeyhole} title="Adding webhooks requires the manager role">
      Your role is {role}. Ask a manager to add the webhook, or ask an owner for the role.
    </EmptyState>
  );
}

/**
 * Creates the webhook, then shows its one-time secret or the second setup step. The secret is only in the state of this
 * page, so a reload discards it.
 */
function Adding({ factory, trail }: { factory: string; trail: { label: string; href: string }[] }) {
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
    // The secret must not stay in the cache after the page is left.
    gcTime: 0,
  });
  if (created === undefined) {
    return (
      <>
        <PageHeader title="Add webhook" trail={trail} lead="An endpoint that an external system sends JSON to." />
        <AddWebhookForm onSubmit={mutate} cancelHref={trail[0]!.href} isPending={isPending} error={error} />
      </>
    );
  }
  const leave = () => navigate(objectPath(created.factory, 'webhooks', created.uid));
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
