/**
 * The first section of the changelog. An older one describes another program, even if it has the number of this version.
 *
 * @param changelog the text of the file
 */
export function readNewestNotes(changelog: string): { heading: string; notes: string } {
  const [, section = ''] = changelog.split(/^## /m);
  const [title = ''] = section.split('\n', 1);
  return { heading: title.split(' ')[0]!, notes: `${section.slice(title.length).trim()}\n` };
}

/** Why this version cannot be released: it is not one of a release, or the changelog does not describe it. */
export function findVersionProblems(version: string, changelog: string): string[] {
  const { heading } = readNewestNotes(changelog);
  const problems: string[] = [];
  if (version.endsWith('-dev')) problems.push(`${version} in package.json is not the version of a release`);
  if (heading !== version) problems.push(`the first section of CHANGELOG.md is "${heading}", not "${version}"`);
  return problems;
}
