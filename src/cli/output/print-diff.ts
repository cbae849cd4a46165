import { escapeText } from '../../domain/words/escape-text.ts';
import type { DiffLine } from '../../domain/words/yaml-text.ts';
import type { Output } from './output.ts';

const DIFF_SIGNS = { added: '+', removed: '-', same: ' ', gap: ' ' } as const;

/** Prints the lines of a diff below their object: removed lines red, added lines green. */
export function printDiff({ line, colors }: Output, diff: readonly DiffLine[], indent: string): void {
  const paints = { added: colors.green, removed: colors.red, same: colors.dim, gap: colors.dim };
  for (const { kind, text } of diff) line(`${indent}${paints[kind](`${DIFF_SIGNS[kind]} ${escapeText(text)}`)}`);
}
