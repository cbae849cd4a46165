/** A delivery to be signed as its provider would sign it. `nowMs` is wall time in milliseconds. */
export interface UnsignedDelivery {
  /** The URL as the sender knows it. */
  url: string;
  body: Uint8Array;
  nowMs: number;
  /** Becomes the delivery ID, if the scheme has one. `null`: `newId` generates it. */
  deliveryId: string | null;
  newId: () => string;
  /** Headers that the sender sends in any case: the scheme may sign them. Default: none. */
  headers?: Readonly<Record<string, string>>;
}

/** A delivery as its sender posts it. */
export interface SignedDelivery {
  headers: Record<string, string>;
  /** The body as given, unless the scheme adds something to it. */
  body: Uint8Array;
  /** To append to the query of the URL; `''` for nothing. */
  query: string;
}
