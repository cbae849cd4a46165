import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeProblem, problemType, sendProblem } from './problem.ts';

/** Decides whether a `Host` header names this listener. */
type HostCheck = (host: string | undefined) => boolean;

/**
 * Loopback names and addresses with any port, and what the configuration allows. A web page whose name was pointed
 * at this machine (DNS rebinding, threat model W2) sends its own name here and is rejected.
 */
export function createHostCheck(allowedHosts: readonly string[]): HostCheck {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return (host) => {
    const parsed = parseHost(host ?? '');
    if (parsed === null) return false;
    return isLoopback(parsed.name) || allowed.has(parsed.name) || allowed.has(`${parsed.name}:${parsed.port}`);
  };
}

/** Answers with 421 (RFC 9110, section 15.5.20) where the request is meant for another host. */
export function createHostHook(allowedHosts: readonly string[]) {
  const isAllowed = createHostCheck(allowedHosts);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (countHosts(request.raw.rawHeaders) > 1) {
      return sendProblem(reply, describeProblem('bad_request', 'The request has more than one Host field.'));
    }
    if (isAllowed(request.headers.host)) return undefined;
    const detail = 'This listener does not answer for the name in the Host header. Add it to admin.allowedHosts.';
    const code = 'host_not_allowed';
    return sendProblem(reply, { type: problemType(code), title: 'Host not allowed', status: 421, detail, code });
  };
}

/** Node.js takes the first of several; a proxy may have taken another (RFC 9112, section 3.2). */
function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

function parseHost(host: string): { name: string; port: string } | null {
  const parts = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+?)\.?(?::(\d{1,5}))?$/.exec(host.toLowerCase());
  return parts === null ? null : { name: parts[1]!, port: parts[2] ?? '' };
}

function isLoopback(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);
}
