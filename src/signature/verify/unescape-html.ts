/** The characters that have a meaning in HTML, by name or by number; in one pass, so that nothing is decoded twice. */
const ENTITY = /&(?:(lt|gt|amp|quot)|#0*(34|38|39|60|62)|#[xX]0*(22|26|27|3[cCeE]));/g;

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"' };

/** Decodes the entities that WordPress decodes in a secret (`wp_specialchars_decode` with both quotes), and no others. */
export function unescapeHtml(text: string): string {
  return text.replace(ENTITY, (_, name?: string, decimal?: string, hex?: string) => {
    if (name !== undefined) return NAMED[name]!;
    return String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
  });
}
