import { useMutation, useQueryClient } from '@tanstack/react-query';
import { sessionQuery } from '../../../api/session.ts';
import { usersQuery } from '../../../api/users.ts';
import { useSessionUser } from '../../../shell/context/session-user.ts';

/**
 * A change of a user, after which all that shows users is read again. Who changed the own account may have fewer rights
 * now, or no session any more, so who is signed in is asked anew.
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
    // A password goes with the dialog.
    gcTime: 0,
    onSuccess: async (result) => {
      await queryClient.invalidateQueries({ queryKey: usersQuery.queryKey });
      onDone(result);
      if (isSelf) await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
    },
  });
}
