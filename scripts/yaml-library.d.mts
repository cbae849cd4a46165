export const YAML_LIBRARY: { find: RegExp; replacement: string };
