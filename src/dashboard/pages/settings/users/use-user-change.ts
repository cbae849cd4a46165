import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../../api/session.ts';
import { usersQuery } from '../../../api/users.ts';
import { useSessionUser } from '../../../shell/context/session-user.ts';

/**
 * A mutation of a user. It reads the users again, and the session as well if the signed-in user changed their own account,
 * because they may have fewer permissions or no session afterwards.
 */
export function useUserChange<Change, Result>(
  userId: string,
  mutationFn: (change: Change) => Promise<Result>,
  onDone: (result: Result) => void,
) {
  const queryClient = useQueryClient();
  const isSelf = useSessionUser().id === userId;
  return useMutation({
    mutationFn,
    // A password must not stay in the cache after the dialog is closed.
    gcTime: 0,
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      onDone(result);
      if (isSelf) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
