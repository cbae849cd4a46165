import { expect, it } from 'vitest';
import type { AgentFileSet } from '../../domain/definitions/agent-files.ts';
import { compareAgentFiles } from './compare-agent-files.ts';

const setOf = (files: Record<string, string>): AgentFileSet => ({
  digest: JSON.stringify(files),
  files: Object.entries(files).map(([path, digest]) => ({ path, digest, size: 1 })),
});

it('lists the paths of added, changed and removed agent files, and no others', () => {
  const applied = setOf({ 'agents/a.md': '1', 'agents/b.md': '2', 'skills/c.md': '3' });
  const planned = setOf({ 'agents/a.md': '1', 'agents/b.md': '9', 'skills/d.md': '3' });
  expect(compareAgentFiles(applied, planned)).toEqual({
    create: ['skills/d.md'],
    update: ['agents/b.md'],
    delete: ['skills/c.md'],
  });
  expect(compareAgentFiles(applied, applied)).toEqual({ create: [], update: [], delete: [] });
});
