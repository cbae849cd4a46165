import { useState } from 'react';

/** Text that is edited before it is applied. It resets when the applied text changes. */
export function useDraft(applied: string): [text: string, change: (text: string) => void] {
  const [draft, setDraft] = useState({ of: applied, text: applied });
  return [draft.of === applied ? draft.text : applied, (text) => setDraft({ of: applied, text })];
}
