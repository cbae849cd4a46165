const WIDTH = 120;

/** The value as the text of a file: what fits into a line is on one line, so a diff shows whole lists and small objects. */
export function renderJson(value: unknown): string {
  return `${renderPart(value, '', 0)}\n`;
}

/** @param before characters in the line before the value, without the indent */
function renderPart(value: unknown, indent: string, before: number): string {
  const line = renderLine(value);
  // A comma may follow.
  const fits = indent.length + before + line.length < WIDTH;
  if (fits || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => inner + renderPart(item, inner, 0))
    : Object.entries(value).map(([key, part]) => {
        const name = `${JSON.stringify(key)}: `;
        return inner + name + renderPart(part, inner, name.length);
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.join(',\n')}\n${indent}${close}`;
}

function renderLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderLine).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const parts = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${renderLine(part)}`);
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`;
}
