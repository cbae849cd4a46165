import { createRequire } from 'node:module';

const LIBRARY = createRequire(import.meta.url).resolve('string-width');
/** Constants of the library that take long to create and are used for characters outside ASCII only. */
const CONSTANTS = ['segmenter', 'emojiPrefixRegex'];

/**
 * Plugin of Vite that creates these constants when they are used first. Compiling the pattern of all emoji takes 40 ms of
 * processor time, in the daemon and in nearly every command.
 */
export function deferEmoji() {
  return {
    name: 'lazy-emoji',
    transform: (code, id) => (id === LIBRARY ? CONSTANTS.reduce(defer, code) : null),
  };
}

function defer(code, name) {
  const declaration = new RegExp(`^const ${name} = (.+);$`, 'm');
  if (!declaration.test(code)) throw new Error(`string-width has no constant ${name}: adapt scripts/lazy-emoji.mjs`);
  return code
    .replaceAll(new RegExp(`\\b${name}\\.`, 'g'), `${name}().`)
    .replace(declaration, (_, value) => `let ${name}Value;\nconst ${name} = () => (${name}Value ??= ${value});`);
}
