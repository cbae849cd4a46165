import { Button, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useLocation } from 'wouter';
import { toProblem } from '../../api/problem.ts';
import { reconcileNow } from '../../api/reconciliations.ts';
import { useMay } from '../../shell/context/session-user.ts';
import { reconciliationPath } from './reconciliation-path.ts';

/** One pass at once. A pass that finds something wrong is opened, so that the reader sees where. */
export function ReconcileNow({ factory }: { factory: string }) {
  const isAllowed = useMay('operator');
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const { mutate, isPending } = useMutation({
    mutationFn: () => reconcileNow(factory),
    onSuccess: async (pass) => {
      await queryClient.invalidateQueries({ queryKey: ['factory', factory] });
      if (pass.result === 'invalid' || pass.result === 'failed') navigate(reconciliationPath(factory, pass.id));
      else notifications.show({ message: pass.result === 'applied' ? 'Applied.' : 'Nothing has changed.' });
    },
    onError: (error) => notifications.show({ color: 'red', title: 'Not reconciled', message: toProblem(error).detail }),
  });
  return (
    <Tooltip label="Needs the role operator" disabled={isAllowed}>
      <Button leftSection={<RefreshCw size={16} />} onClick={() => mutate()} loading={isPending} disabled={!isAllowed}>
        Reconcile now
      </Button>
    </Tooltip>
  );
}
