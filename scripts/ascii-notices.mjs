/**
 * Plugin of Vite that escapes the characters outside ASCII in copyright notices, the only comments that are kept. With one
 * such character, the source of a whole file takes twice the memory in each thread that loads it.
 */
export function escapeNotices() {
  return {
    name: 'ascii-notices',
    generateBundle: (_options, bundle) => {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/\/\*!.*?\*\//gs, escapeText);
      }
    },
  };
}

function escapeText(text) {
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
