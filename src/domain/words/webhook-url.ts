/** The UID of a webhook in the path of its URL, for any host in front of it; `null` if the URL has none. */
export function readWebhookUid(url: string): string | null {
  return /\/webhooks\/w\/(wh_[0-9a-z]{26})(?:[/?#]|$)/.exec(url)?.[1] ?? null;
}
