import { Button, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useLocation } from 'wouter';
import { toProblem } from '../../api/problem.ts';
import { reconcileNow } from '../../api/reconciliations.ts';
import { objectPath } from '../../paths.ts';
import { useMay } from '../../shell/context/session-user.ts';

/** Starts a reconciliation. If it finds errors, its page is opened. */
export function ReconcileNow({ factory }: { factory: string }) {
  const isAllowed = useMay('operator');
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, isPending } = useMutation({
    mutationFn: () => reconcileNow(factory),
    onSuccess: async (reconciliation) => {
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      if (reconciliation.result === 'invalid' || reconciliation.result === 'failed')
        navigate(objectPath(factory, 'reconciliations', reconciliation.id));
      else notifications.show({ message: reconciliation.result === 'applied' ? 'Applied.' : 'No changes.' });
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: 'Reconciliation failed', message: toProblem(error).detail }),
  });
  return (
    <Tooltip label="Requires the operator role" disabled={isAllowed}>
      <Button leftSection={<RefreshCw size={16} />} onClick={() => mutate()} loading={isPending} disabled={!isAllowed}>
        Reconcile now
      </Button>
    </Tooltip>
  );
}
