import { Alert, List, Skeleton, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { TriangleAlert } from 'lucide-react';
import { useEffect } from 'react';
import type { Revision } from '../../../client/api-types.ts';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import { revertTo } from '../../api/revisions.ts';
import { ConfirmChange } from '../../parts/dialog/confirm-change.tsx';
import { ErrorPanel } from '../../parts/layout/error-panel.tsx';
import { UntrustedText } from '../../parts/text/untrusted-text.tsx';
import { invertPlans } from './invert-plans.ts';
import { isEmpty, type ReconciliationPlan } from './plan-changes.ts';
import { PlanView } from './plan-view.tsx';

interface RevertDialogProps {
  factory: string;
  target: Revision;
  /** Newest first, at least down to the target. */
  revisions: readonly Revision[];
  onClose: () => void;
}

/** Shows the effects of a revert before it is done. */
export function RevertDialog({ factory, target, revisions, onClose }: RevertDialogProps) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: revertTo,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      notifications.show({ message: `Reverted to ${target.revision.slice(0, 8)}.` });
      onClose();
    },
  });
  const reverted = revisions.slice(
    0,
    revisions.findIndex(({ revision }) => revision === target.revision),
  );
  const head = revisions[0]?.revision ?? target.revision;
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Revert to ${target.revision.slice(0, 8)}`}
      effects={[
        'Restores this definition as a new revision. The revisions in between stay in the history.',
        'Restored webhooks keep their earlier URLs. Senders to deleted webhooks get 404.',
        'Values of secrets do not change.',
      ]}
      action="Revert"
      isDangerous
      onConfirm={() => mutate({ factory, revision: target.revision, head })}
      isPending={isPending}
      error={error}
    >
      <Preview factory={factory} target={target} />
      <div>
        <Text size="sm" fw={600} mb={4}>
          Reverted changes, most recent first
        </Text>
        <List size="sm">
          {reverted.map(({ revision, message, author }) => (
            <List.Item key={revision}>
              <UntrustedText text={message} />, by <UntrustedText text={author} />
            </List.Item>
          ))}
        </List>
      </div>
    </ConfirmChange>
  );
}

function Preview({ factory, target }: Pick<RevertDialogProps, 'factory' | 'target'>) {
  const { plans, isComplete, error } = usePlansSince(factory, target);
  if (error !== null) return <ErrorPanel error={error} />;
  if (plans === null) return <Skeleton height={96} />;
  const plan = invertPlans(plans);
  return (
    <Stack component="section" gap="xs" aria-label="Preview">
      {!isComplete && (
        <Alert color="orange" icon={<TriangleAlert />} title="Incomplete preview">
          Some reconciliations since this revision are no longer stored.
        </Alert>
      )}
      {isEmpty(plan) ? <Text size="sm">The definition does not change.</Text> : <PlanView plan={plan} />}
    </Stack>
  );
}

interface PlansSince {
  /** Newest first; `null` while loading. */
  plans: ReconciliationPlan[] | null;
  isComplete: boolean;
  error: Error | null;
}

/** The plans that were applied after a revision. Older pages are loaded until its reconciliation is found. */
function usePlansSince(factory: string, { revision }: Revision): PlansSince {
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(reconciliationsQuery(factory));
  const applied = data?.pages.flatMap((page) => page.data).filter(({ result }) => result === 'applied') ?? [];
  const end = applied.findIndex((reconciliation) => reconciliation.revision === revision);
  const isWanted = data !== undefined && end === -1 && hasNextPage;
  useEffect(() => {
    if (isWanted && !isFetching) void fetchNextPage();
  }, [isWanted, isFetching, fetchNextPage]);
  if (data === undefined || isWanted) return { plans: null, isComplete: false, error };
  const since = end === -1 ? applied : applied.slice(0, end);
  return { plans: since.map(({ plan }) => plan), isComplete: end !== -1, error: null };
}
