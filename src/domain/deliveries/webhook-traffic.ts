/** Requests whose credential was not accepted since the last one that was. */
export interface CredentialFailure {
  /** Wall time of the first one in milliseconds. */
  since: number;
  lastAt: number;
  /** Number of these requests. */
  count: number;
  /** Why the last one failed, as a code of `AUTH_REASONS`; `null` if it is not known. */
  reason: string | null;
}

/** The outcome of the requests to a webhook. It outlives the rows of the log. */
export interface WebhookTraffic {
  /** Wall time of the last delivery with the label `Accepted`, without replays; `null` if none is known. */
  lastAcceptedAt: number | null;
  credentialFailure: CredentialFailure | null;
}

/** The traffic of a webhook without requests. */
export const NO_TRAFFIC: WebhookTraffic = { lastAcceptedAt: null, credentialFailure: null };

/**
 * From this number of failed requests on, a sender has a wrong credential. Below it, somebody may only have tried the URL.
 */
export const MIN_CREDENTIAL_FAILURES = 3;
