import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { TaggedWebhook } from '../../../api/queries.ts';

/** Props of each dialog that changes a webhook. */
export interface EditDialogProps {
  tagged: TaggedWebhook;
  opened: boolean;
  onClose: () => void;
}

/** Sends an edit, calls `onDone` with the response, and reads the factory again. */
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
