import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  startCompletion,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, linter, lintKeymap } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { escapeText } from '../../../../domain/words/escape-text.ts';
import { readStyleNonce } from '../../../style-nonce.ts';
import type { FilterOption, FilterOptions } from './complete-filter.ts';
import type { TextProblem } from './find-problems.ts';

/** Callbacks of a JSON editor. They are read on each use, so that they may change. */
export interface CodeEditorParts {
  text: string;
  /** Attributes of the editable element. */
  attributes: Record<string, string>;
  onChange: (text: string) => void;
  findProblems: (text: string) => Promise<TextProblem[]>;
  complete: (text: string, position: number) => FilterOptions | null;
}

const CHECK_DELAY_MS = 300;

/** Creates a JSON editor in an element. Call `destroy` to remove it. */
export function openEditor(parent: HTMLElement, parts: CodeEditorParts): EditorView {
  const extensions: Extension[] = [
    [EditorView.cspNonce.of(readStyleNonce()), THEME, syntaxHighlighting(COLORS)],
    [json(), history(), lineNumbers(), bracketMatching(), closeBrackets(), highlightSpecialChars()],
    EditorView.lineWrapping,
    EditorView.contentAttributes.of(parts.attributes),
    EditorView.domEventHandlers({ beforeinput: typeOverSelection }),
    autocompletion({ override: [(context) => offer(context, parts)], icons: false, maxRenderedOptions: 100 }),
    linter((view) => check(view, parts), { delay: CHECK_DELAY_MS }),
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) parts.onChange(update.state.doc.toString());
    }),
  ];
  return new EditorView({ parent, state: EditorState.create({ doc: parts.text, extensions }) });
}

/**
 * Replaces the selection without the browser, whose own editing would add inline styles that the content security policy
 * does not allow.
 */
function typeOverSelection(event: InputEvent, view: EditorView): boolean {
  const { inputType, data, isComposing } = event;
  const { from, to, empty } = view.state.selection.main;
  if (inputType !== 'insertText' || data === null || empty || isComposing || view.composing) return false;
  const insert = () =>
    view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
  const handlers = view.state.facet(EditorView.inputHandler);
  if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
  return true;
}

async function check(view: EditorView, { findProblems }: CodeEditorParts): Promise<Diagnostic[]> {
  const problems = await findProblems(view.state.doc.toString());
  return problems.map(({ from, to, severity, message }) => ({ from, to, severity, message: escapeText(message) }));
}

function offer(context: CompletionContext, { complete }: CodeEditorParts): CompletionResult | null {
  const text = context.state.doc.toString();
  const found = complete(text, context.pos);
  const isWanted = context.explicit || /["\w{[]/.test(text[context.pos - 1] ?? '');
  if (found === null || !isWanted) return null;
  // The word may start with a quote that the label does not contain, so the match starts after it.
  const start = text[found.from] === '"' ? found.from + 1 : found.from;
  return {
    from: start,
    options: found.options.map((option, i) => toCompletion(option, found.from, i)),
    validFor: /^[^"\s]*$/,
  };
}

function toCompletion({ label, insert, cursorBack, detail }: FilterOption, from: number, rank: number): Completion {
  return {
    label,
    displayLabel: escapeText(label),
    detail,
    // Keeps the order: fields first, then operators.
    boost: Math.max(99 - rank, -99),
    apply: (view, _completion, _from, to) => {
      const text = view.state.doc.toString();
      // Also replaces the closing quote that was inserted automatically.
      const end = text[from] === '"' && text[to] === '"' ? to + 1 : to;
      const anchor = from + insert.length - cursorBack;
      view.dispatch({ changes: { from, to: end, insert }, selection: { anchor }, userEvent: 'input.complete' });
      if (cursorBack > 0) startCompletion(view);
    },
  };
}

const COLORS = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--editor-key)' },
  { tag: tags.string, color: 'var(--editor-text)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--editor-value)' },
]);

const THEME = EditorView.theme({
  '&': { fontSize: 'var(--mantine-font-size-sm)', color: 'var(--mantine-color-text)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mantine-font-family-monospace)', lineHeight: '1.6', padding: '10px 0' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)', padding: '0', minHeight: '96px' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--mantine-color-dimmed)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--mantine-primary-color-light)' },
  // CodeMirror's default marks are data: URLs, which the content security policy does not allow.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--mantine-color-error)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--mantine-color-orange-6)' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--line)',
    borderRadius: 'var(--mantine-radius-md)',
    boxShadow: 'var(--mantine-shadow-md)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mantine-font-family-monospace)',
    fontSize: 'var(--mantine-font-size-sm)',
    maxHeight: '240px',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '0.75' },
  '.cm-tooltip-lint .cm-diagnostic': { padding: '8px 12px', maxWidth: '480px' },
});
