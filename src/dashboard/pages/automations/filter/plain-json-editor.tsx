import { findSyntaxProblems } from './find-problems.ts';
import { JsonEditor, type JsonEditorProps } from './json-editor.tsx';

/** Any JSON: only its syntax is judged. */
export function PlainJsonEditor(props: Pick<JsonEditorProps, 'label' | 'description' | 'initialText' | 'onChange'>) {
  return <JsonEditor {...props} findProblems={findSyntaxProblems} />;
}
