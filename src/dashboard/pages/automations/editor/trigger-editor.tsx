import { ActionIcon, Group, Paper, Skeleton, Stack, Text, Title, Tooltip } from '@mantine/core';
import { Trash2 } from 'lucide-react';
import { Suspense } from 'react';
import type { Webhook } from '../../../../client/api-types.ts';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { SearchMultiSelect } from '../../../parts/form/search-select.tsx';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { FilterTester } from '../filter/filter-tester.tsx';
import { LazyFilterEditor, LazyPlainJsonEditor } from '../filter/lazy-editors.ts';
import type { TriggerDraft, WebhookTriggerDraft } from './automation-draft.ts';

interface TriggerEditorProps {
  /** Starts at 1. */
  position: number;
  draft: TriggerDraft;
  webhooks: readonly Webhook[];
  onChange: (draft: TriggerDraft) => void;
  /** `null` for the only trigger. */
  onRemove: (() => void) | null;
}

/** Edits one trigger: its webhooks and its filter. */
export function TriggerEditor({ position, draft, webhooks, onChange, onRemove }: TriggerEditorProps) {
  return (
    <Paper withBorder radius="lg" p="md" component="section" aria-label={`Trigger ${position}`}>
      <Stack>
        <Group justify="space-between">
          <Title order={3} size="h5">
            Trigger {position}
          </Title>
          {onRemove !== null && (
            <Tooltip label={`Remove trigger ${position}`}>
              <ActionIcon variant="subtle" color="gray" aria-label={`Remove trigger ${position}`} onClick={onRemove}>
                <Trash2 size={16} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        {draft.kind === 'elsewhere' ? (
          <Text size="sm" c="dimmed">
            <UntrustedText text={String(draft.declared.provider)} />: handled elsewhere. This trigger is kept unchanged.
          </Text>
        ) : (
          <WebhookTrigger draft={draft} webhooks={webhooks} onChange={onChange} />
        )}
      </Stack>
    </Paper>
  );
}

interface WebhookTriggerProps {
  draft: WebhookTriggerDraft;
  webhooks: readonly Webhook[];
  onChange: (draft: TriggerDraft) => void;
}

function WebhookTrigger({ draft, webhooks, onChange }: WebhookTriggerProps) {
  return (
    <>
      <SearchMultiSelect
        label="Webhook received from"
        description="One or more webhooks. A delivery to any of them can start the automation."
        placeholder={draft.webhooks.length === 0 ? 'Select a webhook' : undefined}
        data={listChoices(draft.webhooks, webhooks)}
        value={draft.webhooks}
        onChange={(chosen) => onChange({ ...draft, webhooks: chosen })}
        nothingFoundMessage="No matching webhook"
      />
      <Suspense fallback={<Skeleton height={160} />}>
        <LazyFilterEditor
          initialText={draft.filter}
          webhooks={draft.webhooks}
          onChange={(filter) => onChange({ ...draft, filter })}
        />
      </Suspense>
      <Suspense fallback={<Skeleton height={80} />}>
        <LazyPlainJsonEditor
          label="Filter of headers"
          description='Optional. Request headers that must match, for example {"X-GitHub-Event": ["push"]}.'
          initialText={draft.headers}
          onChange={(headers) => onChange({ ...draft, headers })}
        />
      </Suspense>
      <FilterTester filter={draft.filter} headers={draft.headers} uids={draft.webhooks} webhooks={webhooks} />
    </>
  );
}

/** All webhooks by name, and selected deleted webhooks by UID. */
function listChoices(chosen: readonly string[], webhooks: readonly Webhook[]) {
  const deleted = chosen.filter((uid) => !webhooks.some((webhook) => webhook.uid === uid));
  return [
    ...webhooks.map(({ uid, name, enabled }) => ({
      value: uid,
      label: enabled ? escapeText(name) : `${escapeText(name)} (disabled)`,
    })),
    ...deleted.map((uid) => ({ value: uid, label: `${escapeText(uid)} (deleted)` })),
  ];
}
