import { expect, it } from 'vitest';
import { REJECTIONS } from '../../src/api/server/handle-error.ts';
import { problemPage, problemType } from '../../src/api/server/problem.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { readDocument } from '../helpers/documents.ts';

it('docs/reference/problems.md has a section for each type of problem, with its code, status and title', () => {
  const published = Object.entries(ERROR_CODES).map(([code, { status, exit, title }]) => {
    return { code, title, facts: `\`${code}\`, status ${status}, exit code ${exit} of commands` };
  });
  const rejected = Object.entries(REJECTIONS).map(([status, { code, title }]) => {
    return { code, title, facts: `\`${code}\`, status ${status}` };
  });
  const sections = readDocument('docs/reference/problems.md').split(/^## /m).slice(1);
  const expected = [...published, ...rejected].map(({ code, title, facts }) => {
    const [, anchor] = problemPage(code).split('#');
    expect(problemType(code)).toBe(`urn:dockbell:problem:${anchor}`);
    return `${anchor}\n\n**${title}** (${facts}).\n`;
  });
  expect(sections.map((section) => `${section.split('\n').slice(0, 3).join('\n')}\n`)).toEqual(expected);
  for (const section of sections) expect(section.trim().split('\n').slice(3).join(' ').length).toBeGreaterThan(20);
});
