/**
 * Does this status of the ingress mean that the delivery is stored? `200` is for providers that take no other status for a
 * success.
 */
export function isStoredStatus(status: number): boolean {
  return status === 202 || status === 200;
}
