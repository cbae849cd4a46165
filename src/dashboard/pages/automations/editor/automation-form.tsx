import { Button, Group, Skeleton, Stack, Switch, Textarea, TextInput, Title } from '@mantine/core';
import { Plus } from 'lucide-react';
import { Suspense } from 'react';
import type { Webhook } from '../../../../client/api-types.ts';
import { RUN_POLICY_KEYS } from '../../../../domain/words/automations.ts';
import { LazyPlainJsonEditor } from '../filter/lazy-editors.ts';
import { type AutomationDraft, createTrigger } from './automation-draft.ts';
import { TriggerEditor } from './trigger-editor.tsx';

interface AutomationFormProps {
  draft: AutomationDraft;
  webhooks: readonly Webhook[];
  onChange: (draft: AutomationDraft) => void;
  /** The name can only be set for a new automation. */
  isNew: boolean;
}

/** All fields of an automation. */
export function AutomationForm({ draft, webhooks, onChange, isNew }: AutomationFormProps) {
  return (
    <Stack gap="xl">
      <Stack component="section" aria-label="About">
        {isNew && (
          <TextInput
            label="Name"
            description="Letters, digits, dots, hyphens and underscores. The name cannot be changed later."
            required
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
          />
        )}
        <TextInput
          label="Description"
          description="Shown in lists."
          value={draft.description}
          onChange={(event) => onChange({ ...draft, description: event.currentTarget.value })}
        />
        <Switch
          label="Enabled"
          checked={draft.enabled}
          onChange={(event) => onChange({ ...draft, enabled: event.currentTarget.checked })}
        />
      </Stack>
      <TriggerList draft={draft} webhooks={webhooks} onChange={onChange} />
      <Stack component="section" aria-label="Execution">
        <Textarea
          label="Prompt"
          description="Instructions for the run. The payload of the delivery is attached to it."
          required
          autosize
          minRows={6}
          maxRows={24}
          value={draft.prompt}
          onChange={(event) => onChange({ ...draft, prompt: event.currentTarget.value })}
        />
        <TextInput
          label="Agent"
          description="Agent that executes the run. Defaults to foreman."
          value={draft.agent}
          onChange={(event) => onChange({ ...draft, agent: event.currentTarget.value })}
        />
        <Suspense fallback={<Skeleton height={120} />}>
          <LazyPlainJsonEditor
            label="Overrides and run policy"
            description={`Optional JSON object with the keys model, harness, runner, environmentId, secrets, mcpServers, workerHost, ${RUN_POLICY_KEYS.join(', ')}.`}
            initialText={draft.execution}
            onChange={(execution) => onChange({ ...draft, execution })}
          />
        </Suspense>
      </Stack>
    </Stack>
  );
}

/** The triggers of a draft, and a button to add one. */
function TriggerList({ draft, webhooks, onChange }: Omit<AutomationFormProps, 'isNew'>) {
  const { triggers } = draft;
  return (
    <Stack component="section" aria-label="Triggers">
      <Title order={2} size="h4">
        Triggers
      </Title>
      {triggers.map((trigger, i) => (
        <TriggerEditor
          key={trigger.key}
          position={i + 1}
          draft={trigger}
          webhooks={webhooks}
          onChange={(changed) => onChange({ ...draft, triggers: triggers.with(i, changed) })}
          onRemove={triggers.length === 1 ? null : () => onChange({ ...draft, triggers: triggers.toSpliced(i, 1) })}
        />
      ))}
      <Group>
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={15} />}
          onClick={() => onChange({ ...draft, triggers: [...triggers, createTrigger()] })}
        >
          Add trigger
        </Button>
      </Group>
    </Stack>
  );
}
