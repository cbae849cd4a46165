import { useQuery } from '@tanstack/react-query';
import { payloadKeysQuery } from '../../../api/automations.ts';
import { useFactory } from '../../../shell/context/current-factory.ts';
import { completeFilter } from './complete-filter.ts';
import { findFilterProblems, findSyntaxProblems } from './find-problems.ts';
import { JsonEditor, type JsonEditorProps } from './json-editor.tsx';

interface FilterEditorProps {
  initialText: string;
  /** UIDs of the webhooks whose payloads provide keys and values for completion. */
  webhooks: readonly string[];
  onChange: (text: string) => void;
}

/** Edits a payload filter, with validation and completion from stored deliveries. */
export function FilterEditor({ initialText, webhooks, onChange }: FilterEditorProps) {
  const { name: factory } = useFactory();
  const { data: fields = [] } = useQuery(payloadKeysQuery(factory, webhooks));
  const hint = fields.length > 0 ? 'Press Ctrl+Space for keys and values from stored deliveries.' : '';
  return (
    <JsonEditor
      label="Payload filter"
      description={`JSON object with the structure of the payload. Leave empty to match every delivery. ${hint}`}
      initialText={initialText}
      onChange={onChange}
      findProblems={(text) => findFilterProblems(factory, text)}
      complete={(text, position) => completeFilter(text, position, fields)}
    />
  );
}

/** Edits any JSON. Only the syntax is checked. */
export function PlainJsonEditor(props: Pick<JsonEditorProps, 'label' | 'description' | 'initialText' | 'onChange'>) {
  return <JsonEditor {...props} findProblems={findSyntaxProblems} />;
}
