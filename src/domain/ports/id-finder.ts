/** IDs that belong to a factory and that people abbreviate. */
export type FindableId = `dlv_${string}` | `run_${string}` | `rec_${string}` | `rpl_${string}` | `wh_${string}`;

/** An object that an abbreviated ID may stand for. */
export interface FoundId {
  id: string;
  factory: string;
}

/** Finds whole IDs by their beginning. */
export interface IdFinder {
  /**
   * IDs that start with `prefix`, in descending order (for time-ordered IDs the most recent first).
   *
   * @param request.factories only objects of these factories; `null` for all
   */
  find(request: { prefix: FindableId; factories: readonly string[] | null; limit: number }): Promise<FoundId[]>;
}
