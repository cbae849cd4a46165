import type { FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import type { InventoryReader } from '../../domain/ports/inventory.ts';
import { refTo } from '../openapi/schemas.ts';
import { factoryOf } from '../server/reach.ts';
import type { FindSource } from './factory-source.ts';

export interface EditGuardParts {
  inventory: InventoryReader;
  findSource: FindSource;
}

/** What to do instead of an edit; throws `not_found` if the object does not exist. */
export type Advice = (parts: EditGuardParts, request: FastifyRequest) => Promise<string>;

/** The errors that every edit of a definition can return. 502: the repository that the service hosts failed. */
export const EDIT_ANSWERS = {
  409: refTo('Problem'),
  412: refTo('Problem'),
  422: refTo('Problem'),
  502: refTo('Problem'),
};

/**
 * A hook in front of every edit of a definition. Where a repository decides, it answers 409 and names the file to edit,
 * after 401, 403 and 404, and before any byte of the body is read: the response is the same for every body.
 */
export function rejectRepositoryEdits(parts: EditGuardParts, advise: Advice) {
  return async (request: FastifyRequest): Promise<void> => {
    const source = parts.findSource(factoryOf(request).name);
    if (source?.type === 'managed' || source?.type === 'live') return;
    const advice = await advise(parts, request);
    throw new AppError('conflict', `${describeOwner(parts, request)} ${advice}${describeBranch(parts, request)}.`);
  };
}

function describeOwner(parts: EditGuardParts, request: FastifyRequest): string {
  const { name } = factoryOf(request);
  return parts.findSource(name) === null
    ? `The configuration no longer names the factory ${name}, so it cannot be changed.`
    : `The repository of the factory ${name} decides this.`;
}

function describeBranch(parts: EditGuardParts, request: FastifyRequest): string {
  const branch = parts.findSource(factoryOf(request).name)?.branch ?? null;
  return branch === null ? '' : `, on its branch ${branch}`;
}

/** The path of a definition file from the root of the factory's repository. */
export function inFactory(parts: EditGuardParts, request: FastifyRequest, file: string): string {
  const folder = (parts.findSource(factoryOf(request).name)?.path ?? '').replace(/^(\.?\/)+|^\.$|\/+$/g, '');
  return folder === '' ? file : `${folder}/${file}`;
}
