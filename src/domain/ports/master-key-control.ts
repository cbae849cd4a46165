/** How a change of the master key ended. */
interface MasterKeyChange {
  /** `waiting`: every value is sealed under the new key, and the operator has to put it in place. */
  state: 'done' | 'waiting';
  /** Number of values that were sealed again. */
  resealed: number;
  /** The file with the new key; `null` if the key comes from the environment. */
  keyFile: string | null;
  earlierKeyFile: string | null;
}

/** The master key of a running daemon. */
export interface MasterKeyControl {
  /** Seals all values under another key. Throws `conflict` while another change is not complete. */
  rotate(nextKey: Uint8Array): Promise<MasterKeyChange>;
}
