import type { Factory } from '../../client/api-types.ts';
import { readAnswer } from '../../client/read-answer.ts';
import { api } from './client.ts';

/** Forgets a factory that the configuration no longer names. */
export async function forgetFactory(factory: string): Promise<void> {
  await readAnswer(api.DELETE('/api/v1/factories/{factory}', { params: { path: { factory } } }));
}

/** Gives everything of a factory to the one that has its new name in the configuration. */
export function renameFactory(factory: string, to: string): Promise<Factory> {
  const request = { params: { path: { factory } }, body: { to } };
  return readAnswer(api.POST('/api/v1/factories/{factory}/rename', request));
}
