import type { FastifyReply } from 'fastify';
import type { ErrorCode, ProblemItem } from '../../domain/errors.ts';
import { ERROR_CODES } from '../../domain/errors.ts';

/** A problem document (RFC 9457). `code` is for programs, `detail` for people. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  /** Findings about single values of the request. */
  errors?: ProblemItem[];
  /** For internal errors: look for it in the daemon's log. */
  id?: string;
  [extension: string]: unknown;
}

/** The problem document of a published code. */
export function describeProblem(code: ErrorCode, detail: string, extra: Partial<Problem> = {}): Problem {
  const { status, title } = ERROR_CODES[code];
  return { type: problemType(code), title, status, detail, code, ...extra };
}

/** Name of a kind of problem as a URI. Its description is at `problemPage`. */
export function problemType(code: string): string {
  return `urn:dockbell:problem:${nameProblem(code)}`;
}

/** The description of a kind of problem, in the documentation that the admin listener serves. */
export function problemPage(code: string): string {
  return `/docs/reference/problems#${nameProblem(code)}`;
}

function nameProblem(code: string): string {
  return code.replaceAll('_', '-');
}

/** Sent as bytes, so that the media type goes out without a charset parameter, which it does not define. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  if (problem.status === 401) void reply.header('www-authenticate', 'Bearer');
  return reply
    .code(problem.status)
    .header('link', `<${problemPage(problem.code)}>; rel="help"`)
    .type('application/problem+json')
    .send(Buffer.from(JSON.stringify(problem)));
}
