import { API_PREFIX } from './enforce-access.ts';

/** Path of an object of the API, for `Location`. */
export function locate(...segments: string[]): string {
  return [API_PREFIX, ...segments.map(encodeURIComponent)].join('/');
}
