/**
 * A theme without colours: Shiki names a CSS variable for each kind of token, and the transformer turns it into a class.
 * The content security policy of the admin listener does not allow style attributes.
 */
const KINDS = {
  constant: ['constant', 'entity.name.constant', 'variable.language', 'constant.numeric', 'meta.definition.variable'],
  string: ['string', 'string.regexp', 'constant.other.symbol'],
  comment: ['comment', 'punctuation.definition.comment'],
  keyword: ['keyword', 'storage', 'keyword.operator'],
  name: ['entity.name.tag', 'support.type.property-name', 'entity.other.attribute-name', 'variable.other.assignment'],
  function: ['entity.name.function', 'support.function'],
  title: ['markup.heading', 'entity.name.section'],
  inserted: ['markup.inserted'],
  deleted: ['markup.deleted'],
};

export const THEME = {
  name: 'classes',
  type: 'light',
  fg: 'var(--code-text)',
  bg: 'var(--vp-code-block-bg)',
  colors: { 'editor.foreground': '#000000', 'editor.background': '#ffffff' },
  settings: Object.entries(KINDS).map(([kind, scope]) => ({ scope, settings: { foreground: placeholderOf(kind) } })),
  colorReplacements: {},
};

function placeholderOf(kind) {
  const index = Object.keys(KINDS).indexOf(kind) + 1;
  return `#${String(index).padStart(6, '0')}`;
}

const CLASSES = new Map(Object.keys(KINDS).map((kind) => [placeholderOf(kind), `code-${kind}`]));

/** Transformer of Shiki. */
export const STYLES_TO_CLASSES = {
  name: 'styles-to-classes',
  preprocess(_code, options) {
    // The default is half a second for a line. On a busy machine, the rest of the line would have no colours.
    options.tokenizeTimeLimit = 0;
  },
  span(node) {
    const color = /color:(#\d{6})/.exec(String(node.properties.style ?? ''))?.[1];
    delete node.properties.style;
    const name = CLASSES.get(color);
    if (name !== undefined) node.properties.class = name;
  },
};
