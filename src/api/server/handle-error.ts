import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, ERROR_CODES, messageOf, type ProblemItem } from '../../domain/errors.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { RateLimitDetails } from '../../domain/network/rate-limit.ts';
import { clip, describeFindings } from './describe-validation.ts';
import { MAX_BODY_BYTES } from './parse-json-body.ts';
import { describeProblem, type Problem, problemType, sendProblem } from './problem.ts';

/** Responds to any error with a problem document. Unexpected errors are logged in full and shown by their ID only. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof AppError && error.code !== 'internal') return sendAppError(error, request, reply);
  if (isFastifyError(error) && error.validation !== undefined) return sendProblem(reply, describeInvalidRequest(error));
  if (isFastifyError(error) && error.statusCode !== undefined && error.statusCode < 500) {
    return sendProblem(reply, describeRejectedRequest(error.statusCode, error));
  }
  request.log.error({ err: error, id: request.id, route: request.routeOptions?.url }, 'internal error');
  const detail = 'An unexpected error occurred. The log of the daemon has the details under this ID.';
  return sendProblem(reply, describeProblem('internal', detail, { id: request.id }));
}

function sendAppError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status } = ERROR_CODES[error.code];
  if (status >= 500) request.log.error({ err: error, id: request.id }, 'management request failed');
  if (error.code === 'storage_unavailable') void reply.header('retry-after', '1');
  if (isRateLimit(error)) void reply.headers(describeRateLimit(error.details));
  return sendProblem(reply, describeProblem(error.code, error.message, presentDetails(error.details)));
}

function isRateLimit(error: AppError): error is AppError & { details: RateLimitDetails } {
  return error.code === 'too_many_requests' && isJsonObject(error.details) && 'policy' in error.details;
}

/** Findings about the request go under `errors`, those about definition files under `diagnostics`. */
function presentDetails(details: unknown): Partial<Problem> {
  if (isProblemItems(details)) return { errors: details };
  return isJsonObject(details) && Array.isArray(details.diagnostics) ? { diagnostics: details.diagnostics } : {};
}

const CONTEXTS: Record<string, ProblemItem['in']> = { body: 'body', querystring: 'query', params: 'path' };

function describeInvalidRequest(error: FastifyError): Problem {
  const part = CONTEXTS[error.validationContext ?? 'body'] ?? 'body';
  const errors = describeFindings(error.validation ?? [], part);
  const detail = `The ${part} is not valid: ${errors.map((item) => `${item.pointer} ${item.detail}`).join('; ')}.`;
  return describeProblem('bad_request', detail, { errors });
}

/** By status. */
export const REJECTIONS: Record<number, { code: string; title: string; detail?: string }> = {
  413: {
    code: 'body_too_large',
    title: 'Body too large',
    detail: `A body may have ${MAX_BODY_BYTES} bytes at most.`,
  },
  414: { code: 'path_too_long', title: 'Path too long' },
  415: { code: 'unsupported_media_type', title: 'Unsupported media type' },
};

/** What the framework rejected before any handler ran. */
export function describeRejectedRequest(status: number, error: unknown): Problem {
  const known: (typeof REJECTIONS)[number] = REJECTIONS[status] ?? { code: 'bad_request', title: 'Bad request' };
  return {
    type: problemType(known.code),
    title: known.title,
    status,
    detail: known.detail ?? clip(messageOf(error)),
    code: known.code,
  };
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error;
}

function isProblemItems(details: unknown): details is ProblemItem[] {
  return Array.isArray(details) && details.every((item) => typeof item?.pointer === 'string');
}

/**
 * The fields of a response to a client that has used its quota, as draft-ietf-httpapi-ratelimit-headers-11 defines them: lists
 * of strings with parameters (RFC 9651). `t` is the same time as `Retry-After`.
 */
function describeRateLimit({ retryAfterSeconds, policy }: RateLimitDetails): Record<string, string> {
  const wait = { 'retry-after': String(retryAfterSeconds) };
  if (policy === null) return wait;
  const { name, quota, windowSeconds } = policy;
  const unit = windowSeconds === null ? 'qu="concurrent-requests"' : `w=${windowSeconds}`;
  return {
    ...wait,
    'ratelimit-policy': `"${name}";q=${quota};${unit}`,
    ratelimit: `"${name}";r=0;t=${retryAfterSeconds}`,
  };
}
