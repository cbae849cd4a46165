import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { storedDeliveriesQuery, storedPayloadsQuery } from '../../api/automations.ts';
import { useFactory } from '../../shell/current-factory.ts';
import { collectFields } from './collect-fields.ts';
import { completeFilter, type PayloadField } from './complete-filter.ts';
import { findFilterProblems } from './find-problems.ts';
import { JsonEditor } from './json-editor.tsx';

interface FilterEditorProps {
  initialText: string;
  /** UIDs of the webhooks whose payloads lend their keys. */
  webhooks: readonly string[];
  onChange: (text: string) => void;
}

/** A payload filter: judged while it is typed, with keys and values of stored deliveries to choose from. */
export function FilterEditor({ initialText, webhooks, onChange }: FilterEditorProps) {
  const { name: factory } = useFactory();
  const fields = usePayloadFields(factory, webhooks);
  const hint = fields.length > 0 ? 'Ctrl+Space offers keys and values of stored deliveries.' : '';
  return (
    <JsonEditor
      label="Payload filter"
      description={`A JSON object in the shape of the payload; blank for every delivery. ${hint}`}
      initialText={initialText}
      onChange={onChange}
      findProblems={(text) => findFilterProblems(factory, text)}
      complete={(text, position) => completeFilter(text, position, fields)}
    />
  );
}

/** What the newest stored payloads of these webhooks consist of. */
function usePayloadFields(factory: string, webhooks: readonly string[]): PayloadField[] {
  const { data: deliveries = [] } = useQuery(storedDeliveriesQuery(factory, webhooks));
  const { data: payloads } = useQuery(storedPayloadsQuery(factory, deliveries));
  return useMemo(() => collectFields(payloads ?? []), [payloads]);
}
