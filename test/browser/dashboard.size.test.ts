import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { locate } from '../helpers/documents.ts';

const MAX_SCRIPT_BYTES = 300 * 1024;
const ASSETS = 'dist/dashboard/assets/';

/** Scripts of the page and all their static imports. */
function listFirstScripts(): string[] {
  const page = readFileSync(locate('dist/dashboard/index.html'), 'utf8');
  const found = [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map((match) => match[1]!);
  for (const file of found) {
    const imports = readScript(file).matchAll(/(?:import|from)\s*["']\.\/([^"']+\.js)["']/g);
    for (const [, name] of imports) if (!found.includes(name!)) found.push(name!);
  }
  return found;
}

function readScript(name: string): string {
  return readFileSync(locate(ASSETS + name), 'utf8');
}

describe('the first load of the dashboard', () => {
  it('stays under 300 KB of script, compressed', () => {
    const sizes = listFirstScripts().map((name) => gzipSync(readScript(name)).length);
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(sizes.length).toBeGreaterThan(0);
    expect(total).toBeLessThan(MAX_SCRIPT_BYTES);
  });

  it('has a separate chunk for each page', () => {
    const first = listFirstScripts().map(readScript).join('');
    expect(first).not.toContain('Finish webhook setup');
    const all = readdirSync(locate(ASSETS)).filter((name) => name.endsWith('.js'));
    expect(all.some((name) => readScript(name).includes('Finish webhook setup'))).toBe(true);
  });

  it('contains no inline scripts and no external resources', () => {
    const page = readFileSync(locate('dist/dashboard/index.html'), 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/);
    expect(page).not.toMatch(/https?:/);
  });
});
