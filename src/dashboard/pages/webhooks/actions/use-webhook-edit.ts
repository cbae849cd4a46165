import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TaggedWebhook } from '../../../api/queries.ts';

/** What each dialog that changes a webhook is given. */
export interface EditDialogProps {
  tagged: TaggedWebhook;
  opened: boolean;
  onClose: () => void;
}

/** Carries an edit out, renews all that is shown of the factory, and then calls `onDone` with the answer. */
export function useWebhookEdit<Input, Answer>(
  { webhook }: TaggedWebhook,
  edit: (input: Input) => Promise<Answer>,
  onDone: (answer: Answer) => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: edit,
    onSuccess: async (answer) => {
      onDone(answer);
      await queryClient.invalidateQueries({ queryKey: ['factory', webhook.factory] });
    },
    gcTime: 0,
  });
}
