/** One page of a list, newest first unless said otherwise. */
export interface Page<T> {
  data: T[];
  /** Pass it back to get the next page; `null` at the end. */
  nextCursor: string | null;
}

/** Which page of a list. A cursor that the implementation did not make is an `AppError` `bad_request`. */
export interface PageRequest {
  limit: number;
  cursor: string | null;
}
