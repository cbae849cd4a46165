import type { EditorView } from '@codemirror/view';
import { Input, List, Text } from '@mantine/core';
import { useEffect, useId, useRef, useState } from 'react';
import { UntrustedText } from '../../../parts/text/untrusted-text.tsx';
import { openEditor } from './code-mirror-editor.ts';
import type { FilterOptions } from './complete-filter.ts';
import type { TextProblem } from './find-problems.ts';
import classes from './json-editor.module.css';

export interface JsonEditorProps {
  label: string;
  description: string;
  /** Read once. Use another `key` to reset the editor. */
  initialText: string;
  onChange: (text: string) => void;
  findProblems: (text: string) => TextProblem[] | Promise<TextProblem[]>;
  complete?: (text: string, position: number) => FilterOptions | null;
}

/** A JSON editor with highlighting, inline problems and completion. After Escape, Tab leaves the editor. */
export function JsonEditor(props: JsonEditorProps) {
  const { label, description, initialText } = props;
  const id = useId();
  const [problems, setProblems] = useState<PlacedProblem[]>([]);
  const parent = useEditor({ ...props, initialText }, id, setProblems);
  return (
    <div>
      <Input.Label id={`${id}-label`} component="div">
        {label}
      </Input.Label>
      <Input.Description id={`${id}-description`} mb={6}>
        {description} Tab indents. To leave the field, press Escape, then Tab.
      </Input.Description>
      <div ref={parent} className={classes.frame} data-broken={problems.length > 0} />
      <div role="status" aria-label={`Problems in ${label}`}>
        {problems.length > 0 && <ProblemList problems={problems} />}
      </div>
    </div>
  );
}

interface PlacedProblem extends TextProblem {
  line: number;
}

function ProblemList({ problems }: { problems: PlacedProblem[] }) {
  return (
    <List size="sm" mt={6} spacing={2} listStyleType="none" data-testid="problems">
      {problems.map(({ from, line, message, severity }) => (
        <List.Item key={`${from} ${message}`}>
          <Text size="sm" c={severity === 'error' ? 'var(--mantine-color-error)' : undefined} inherit={false}>
            Line {line}: <UntrustedText text={message} />
          </Text>
        </List.Item>
      ))}
    </List>
  );
}

function useEditor(props: JsonEditorProps, id: string, onProblems: (problems: PlacedProblem[]) => void) {
  const parent = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  useEffect(() => {
    const view: EditorView = openEditor(parent.current!, {
      text: latest.current.initialText,
      attributes: {
        'aria-labelledby': `${id}-label`,
        'aria-describedby': `${id}-description`,
      },
      onChange: (text) => latest.current.onChange(text),
      complete: (text, position) => latest.current.complete?.(text, position) ?? null,
      findProblems: async (text) => {
        const problems = await latest.current.findProblems(text);
        // A response for an earlier text may arrive after one for the current text.
        const isCurrent = view.state.doc.toString() === text;
        if (isCurrent) onProblems(problems.map((problem) => ({ ...problem, line: lineOf(text, problem.from) })));
        return problems;
      },
    });
    return () => view.destroy();
  }, [id, onProblems]);
  return parent;
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
