/** The operators of the payload filter, as definitions write them. */
export const FILTER_OPERATORS = ['in', 'not_in', 'exists'] as const;

export type FilterOperator = (typeof FILTER_OPERATORS)[number];

/** Is this key of a filter an operator? */
export function isFilterOperator(key: string): key is FilterOperator {
  return FILTER_OPERATORS.some((operator) => operator === key);
}
