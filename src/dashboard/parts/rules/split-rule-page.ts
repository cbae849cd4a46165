/** A part of the page of a rule. Prose holds code between backquotes. */
export interface RulePiece {
  kind: 'heading' | 'prose' | 'code';
  text: string;
}

const FENCED = /^```[^\n]*\n([\s\S]*?)^```$/gm;

/** Takes apart what scripts/generate-rule-docs.ts writes: its title, its note and its table of settings are left out. */
export function splitRulePage(markdown: string): RulePiece[] {
  const pieces: RulePiece[] = [];
  let end = 0;
  for (const match of markdown.matchAll(FENCED)) {
    pieces.push(...splitProse(markdown.slice(end, match.index)));
    pieces.push({ kind: 'code', text: match[1]!.trimEnd() });
    end = match.index + match[0].length;
  }
  return [...pieces, ...splitProse(markdown.slice(end))];
}

function splitProse(markdown: string): RulePiece[] {
  return markdown
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== '' && !/^(?:# |<!--|\||All rules:)/.test(block))
    .map((block) =>
      block.startsWith('## ') ? { kind: 'heading', text: block.slice(3) } : { kind: 'prose', text: dropLinks(block) },
    );
}

/** Links lead to files that are not here; their words stay. */
function dropLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('\n', ' ');
}
