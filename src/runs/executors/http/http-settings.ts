/** What the configuration of a factory says about its receiver. */
export interface HttpSettings {
  /** May contain a credential: must not be shown. */
  readonly url: string;
  /** Team secret that signs the requests. */
  readonly secretName: string;
  readonly mode: 'sync' | 'async';
  /** May the receiver have a private, loopback or reserved address? */
  readonly allowPrivateAddresses: boolean;
}
