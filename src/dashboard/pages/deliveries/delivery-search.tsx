import { ActionIcon, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Search, X } from 'lucide-react';
import type { ChangeEvent, SyntheticEvent } from 'react';
import { useLocation } from 'wouter';
import { deliveryQuery } from '../../api/deliveries.ts';
import { useDraft } from '../../parts/form/use-draft.ts';
import { objectPath } from '../../paths.ts';

interface DeliverySearchProps {
  factory: string;
  /** The current delivery ID filter. */
  value: string | null;
  onSearch: (deliveryId: string | null) => void;
}

/** The limit of the management API. */
const MAX_CHARACTERS = 1024;
/** Internal IDs of the delivery log. */
const OWN_ID = /^dlv_[0-9a-z]+$/;

/** Searches for an exact delivery ID. An internal ID opens the delivery. Pasted text is searched immediately. */
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
            <ActionIcon variant="subtle" color="gray" aria-label="Clear search" onClick={() => onSearch(null)}>
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

/** Opens the delivery with this internal ID. Returns `false` if none exists, because senders may use similar IDs. */
function useOpenOwn(factory: string): (id: string) => Promise<boolean> {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return async (id) => {
    if (!OWN_ID.test(id)) return false;
    // If this request fails, the list fails as well and shows the error.
    const found = await queryClient.fetchQuery(deliveryQuery(factory, id)).catch(() => null);
    if (found !== null) navigate(objectPath(found.factory, 'deliveries', found.id));
    return found !== null;
  };
}
