import { Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { reconciliationsQuery } from '../../api/reconciliations.ts';
import { revertTo } from '../../api/revisions.ts';
import type { Revision } from '../../api/types.ts';
import { ConfirmChange } from '../../parts/confirm-change.tsx';
import { ForeignText } from '../../parts/foreign-text.tsx';
import { PlanView } from './plan-view.tsx';

interface RevertDialogProps {
  factory: string;
  target: Revision;
  /** Newest first, down to the target at least. */
  revisions: readonly Revision[];
  onClose: () => void;
}

/** Shows every change that is taken back before it is. */
export function RevertDialog({ factory, target, revisions, onClose }: RevertDialogProps) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: revertTo,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      notifications.show({ message: 'The earlier definition is live again.' });
      onClose();
    },
  });
  const undone = revisions.slice(
    0,
    revisions.findIndex(({ revision }) => revision === target.revision),
  );
  const head = revisions[0]?.revision ?? target.revision;
  return (
    <ConfirmChange
      opened
      onClose={onClose}
      title={`Go back to ${target.revision.slice(0, 8)}`}
      effects={[
        'The definition of then becomes the newest revision; the ones in between stay in the history.',
        'Webhooks that come back have their earlier URLs; those that did not exist then answer their senders with 404.',
        'Values of secrets are not turned back.',
      ]}
      action="Go back"
      isDangerous
      onConfirm={() => mutate({ factory, revision: target.revision, head })}
      isPending={isPending}
      error={error}
    >
      <Text size="sm" fw={600}>
        These changes are taken back, the newest first
      </Text>
      {undone.map((revision) => (
        <Undone key={revision.revision} factory={factory} revision={revision} />
      ))}
    </ConfirmChange>
  );
}

function Undone({ factory, revision: { revision, message, author } }: { factory: string; revision: Revision }) {
  const { data } = useInfiniteQuery(reconciliationsQuery(factory));
  const passes = data?.pages.flatMap((page) => page.data) ?? [];
  const pass = passes.find((one) => one.revision === revision && one.result === 'applied');
  return (
    <Stack gap="xs">
      <Text size="sm">
        <ForeignText text={message} />, by <ForeignText text={author} />
      </Text>
      {pass !== undefined && <PlanView plan={pass.plan} />}
    </Stack>
  );
}
