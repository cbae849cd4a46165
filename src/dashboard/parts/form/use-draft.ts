import { useState } from 'react';

/** Text that a reader edits before it counts; it begins anew when what counts changes. */
export function useDraft(counted: string): [text: string, change: (text: string) => void] {
  const [draft, setDraft] = useState({ of: counted, text: counted });
  return [draft.of === counted ? draft.text : counted, (text) => setDraft({ of: counted, text })];
}
