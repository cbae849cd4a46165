import { useQuery } from '@tanstack/react-query';
import { payloadKeysQuery } from '../../../api/automations.ts';
import { useFactory } from '../../../shell/context/current-factory.ts';
import { completeFilter } from './complete-filter.ts';
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
  const { data: fields = [] } = useQuery(payloadKeysQuery(factory, webhooks));
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
