/** One page of a list, newest first unless documented otherwise. */
export interface Page<T> {
  data: T[];
  /** Pass it back to get the next page; `null` at the end. */
  nextCursor: string | null;
}

/** Selects a page of a list. A cursor that the implementation did not create causes an `AppError` `bad_request`. */
export interface PageRequest {
  limit: number;
  cursor: string | null;
}
