import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AUTH_REASONS } from '../../src/signature/auth-reasons.ts';
import { MAX_SIGNATURES } from '../../src/signature/presented-signatures.ts';
import type { KeyForm, Scheme } from '../../src/signature/schemes.ts';
import { SCHEMES } from '../../src/signature/schemes.ts';

const page = readFileSync(new URL('../../docs/reference/signature-schemes.md', import.meta.url), 'utf8');

/** Rows of the table that begins with this column, without its head. */
function tableRows(firstColumn: string): string[] {
  const lines = page.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${firstColumn} |`));
  const rest = lines.slice(head + 2);
  return rest.slice(
    0,
    rest.findIndex((line) => !line.startsWith('|')),
  );
}

function unique(texts: string[]): string {
  return [...new Set(texts)].join(', ') || 'none';
}

function digestOf({ algorithm }: KeyForm): string {
  return algorithm.kind === 'ed25519' ? 'Ed25519' : `HMAC-${algorithm.hash.toUpperCase()}`;
}

function formOf(scheme: Scheme): string {
  // The forms of HMAC keys are told before those of public keys.
  const labels = [...scheme.keys].reverse().map((key) => key.label);
  const forms = labels.map((label) =>
    label === null ? scheme.encoding : `\`${label}${scheme.labelSeparator}\` ${scheme.encoding}`,
  );
  return unique(scheme.entrySeparator === null ? forms : [...forms, 'list']);
}

function rowOf(scheme: Scheme): string {
  const cells = [
    `\`${scheme.name}\``,
    scheme.title,
    unique(scheme.headers.map((family) => `\`${family.signature}\``)),
    unique([...scheme.keys].reverse().map(digestOf)),
    formOf(scheme),
    scheme.content.map((part) => (part.part === 'text' ? part.text : part.part)).join(''),
    scheme.timestamp?.signed ? `${scheme.timestamp.toleranceSeconds} s` : 'none',
    unique(scheme.headers.filter((family) => family.identity !== null).map((family) => `\`${family.identity}\``)),
    scheme.canGenerateSecret ? `${scheme.whenSecretIsIssued}, or generated` : scheme.whenSecretIsIssued,
  ];
  return `| ${cells.join(' | ')} |`;
}

describe('the reference page of the signature schemes', () => {
  it('has exactly the rows of the table of schemes', () => {
    expect(tableRows('scheme')).toEqual(SCHEMES.map(rowOf));
  });

  it('has a section for each scheme, in order, with the link to its provider', () => {
    const sections = page.split(/^## /m).filter((section) => /^[a-z_]+\n/.test(section));
    expect(sections.map((section) => section.split('\n')[0])).toEqual(SCHEMES.map((scheme) => scheme.name));
    SCHEMES.forEach((scheme, index) => {
      expect(sections[index]).toContain(`- Documentation: <${scheme.documentation}>`);
      for (const refused of scheme.refusedSecrets) expect(sections[index]).toContain(`\`${refused.prefix}\``);
    });
  });

  it('explains every reason, in the words of the code', () => {
    const rows = Object.entries(AUTH_REASONS).map(([reason, sentence]) => `| \`${reason}\` | ${sentence} |`);
    expect(tableRows('reason')).toEqual(rows);
  });

  it('names the limits that the code has', () => {
    expect(page).toContain(`at most ${MAX_SIGNATURES} signatures are tried`);
    const key = SCHEMES.find((scheme) => scheme.name === 'standard_webhooks')!.keys.at(-1)!;
    expect(page).toContain(`${key.minBytes} to ${key.maxBytes} bytes long`);
  });
});
