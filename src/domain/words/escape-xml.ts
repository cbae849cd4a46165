import { escapeText } from './escape-text.ts';

const ENTITIES: { [character: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** One line of XML text; `escapeText` writes out what XML 1.0 cannot hold, except for two that are not XML characters. */
export function escapeXml(text: string): string {
  const plain = escapeText(text).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u{${character.charCodeAt(0).toString(16)}}`,
  );
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
