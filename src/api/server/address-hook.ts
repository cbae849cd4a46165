import type { FastifyRequest } from 'fastify';
import type { FindClientAddress } from '../../domain/network/client-address.ts';

/**
 * Leaves only the address of the client in `X-Forwarded-For`, so that `request.ip` follows the rule of the ingress. Fastify
 * compares whole values, and takes a port or any text for a part of the address.
 */
export function createAddressHook(findClientAddress: FindClientAddress) {
  return async ({ raw: { headers, socket } }: FastifyRequest): Promise<void> => {
    const forwardedFor = headers['x-forwarded-for'];
    if (forwardedFor === undefined) return;
    const value = [forwardedFor].flat().join(', ');
    headers['x-forwarded-for'] = findClientAddress(socket.remoteAddress ?? 'unknown', { get: () => value });
  };
}
