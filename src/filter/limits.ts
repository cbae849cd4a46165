/**
 * Limits of a payload filter (decisions, "Payload filter"). A level is one key on the path. A leaf is a field on which
 * the path ends: a list, an operator object or `{}`. Values are counted as written, for each `in` and each `not_in`.
 */
export const PATTERN_LIMITS = { maxLevels: 10, maxLeaves: 64, maxValues: 32 } as const;
