import { ActionIcon, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import type { ChangeEvent, SyntheticEvent } from 'react';
import { useLocation } from 'wouter';
import { deliveryQuery } from '../../api/deliveries.ts';
import { useDraft } from '../../parts/form/use-draft.ts';

interface DeliverySearchProps {
  factory: string;
  /** The delivery ID that is searched for. */
  value: string | null;
  onSearch: (deliveryId: string | null) => void;
}

/** As long as the management API takes them. */
const MAX_CHARACTERS = 1024;
/** An ID of ours, under which a delivery is kept. */
const OWN_ID = /^dlv_[0-9a-z]+$/;

/** Searches for the delivery ID of a sender, exactly; an ID of ours leads to its delivery. What is pasted counts at once. */
export function DeliverySearch({ factory, value, onSearch }: DeliverySearchProps) {
  const [text, setText] = useDraft(value ?? '');
  const openOwn = useOpenOwn(factory);
  const search = async (wanted: string) => {
    const id = wanted.trim();
    if (!(await openOwn(id))) onSearch(id === '' ? null : id);
  };
  const change = ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    setText(currentTarget.value);
    const isPasted = (nativeEvent as InputEvent).inputType === 'insertFromPaste';
    if (isPasted) void search(currentTarget.value);
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    void search(text);
  };
  const isFound = value !== null && text === value;
  return (
    <form onSubmit={submit}>
      <TextInput
        label="Delivery ID"
        placeholder="Full delivery ID or dlv_…"
        value={text}
        onChange={change}
        maxLength={MAX_CHARACTERS}
        autoComplete="off"
        spellCheck={false}
        rightSection={
          isFound ? (
            <ActionIcon variant="subtle" color="gray" aria-label="Clear the search" onClick={() => onSearch(null)}>
              <X size={16} aria-hidden />
            </ActionIcon>
          ) : (
            <ActionIcon type="submit" variant="subtle" color="gray" aria-label="Search">
              <Search size={16} aria-hidden />
            </ActionIcon>
          )
        }
      />
    </form>
  );
}

/** Leads to the delivery of this ID of ours; `false` where there is none, since a sender may use IDs that look like ours. */
function useOpenOwn(factory: string): (id: string) => Promise<boolean> {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return async (id) => {
    if (!OWN_ID.test(id)) return false;
    // Whatever keeps this from being read keeps the list from it too, and is said there.
    const found = await queryClient.fetchQuery(deliveryQuery(factory, id)).catch(() => null);
    if (found !== null) navigate(`/factories/${encodeURIComponent(found.factory)}/deliveries/${found.id}`);
    return found !== null;
  };
}
