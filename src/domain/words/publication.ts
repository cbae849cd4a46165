/**
 * Whether a version of Dockbell is published. Before that, anybody could register its names, so no output, default or document
 * may install or execute them: `test/docs/publication.test.ts` searches for them. The first release sets it to true.
 */
export const IS_PUBLISHED: boolean = false;

/** The name of the package on npm. */
export const NPM_PACKAGE = 'dockbell';

/** The name of the container image, without a tag. */
export const IMAGE = 'ghcr.io/dockbell/dockbell';

/** Why instructions build Dockbell instead of installing it. */
export const NOT_PUBLISHED = 'Dockbell is not published on npm yet';
