import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { finding, HOSTILE, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import { RULES } from '../../domain/rules.ts';
import { formatSarif } from './format-sarif.ts';
import type { ValidationReport } from './validation-report.ts';

const SCHEMA = new URL('../../../test/vectors/sarif/sarif-2.1.0-rtm.5.json', import.meta.url);

/** The schema is written in draft 4, of which it uses nothing that draft 7 reads otherwise but the name of `id`. */
function compileSchema() {
  const { id: _id, $schema: _draft, ...schema } = JSON.parse(readFileSync(SCHEMA, 'utf8'));
  const ajv = new Ajv({ strict: false, allErrors: true, logger: false, unicodeRegExp: false });
  addFormats.default(ajv);
  return ajv.compile(schema);
}

const validate = compileSchema();

/** The only run of a log that the schema of the standard accepts. */
function show(report: ValidationReport) {
  const log = JSON.parse(formatSarif(report));
  expect([validate(log), validate.errors]).toEqual([true, null]);
  return log.runs[0];
}

const EVERY_RULE = Object.keys(RULES).map((rule) => ({ ...finding, rule }));

describe('formatSarif', () => {
  it('has places, levels, hashes and the rules that were broken', () => {
    const warning = { ...finding, severity: 'warning' as const, rule: 'webhook/ignored-file' };
    const run = show(makeReport([finding, warning, finding]));
    expect(run.tool.driver).toMatchObject({ name: 'Dockbell', version: '1.2.3' });
    expect(run.tool.driver.rules).toEqual([
      expect.objectContaining({ id: 'webhook/ignored-file', defaultConfiguration: { level: 'warning' } }),
      expect.objectContaining({
        id: 'webhook/unknown-key',
        shortDescription: { text: 'A webhook has an unknown key.' },
        help: {
          text: expect.stringContaining('reference/diagnostics#webhookunknown-key'),
          markdown: expect.any(String),
        },
        defaultConfiguration: { level: 'error' },
      }),
    ]);
    expect(run.results.map((result: { ruleIndex: number }) => result.ruleIndex)).toEqual([1, 0, 1]);
    expect(run.results[0]).toEqual({
      ruleId: 'webhook/unknown-key',
      ruleIndex: 1,
      level: 'error',
      message: { text: 'The key "authmode" does not exist. Did you mean "authMode"?' },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'webhooks/ci.yaml', uriBaseId: '%SRCROOT%' },
            region: { startLine: 2, startColumn: 3 },
          },
        },
      ],
      partialFingerprints: { 'findingHash/v1': expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(run.columnKind).toBe('utf16CodeUnits');
    expect(run.originalUriBaseIds).toEqual({ '%SRCROOT%': { uri: 'file:///repo/' } });
  });

  it('is checked by a schema that rejects a log without version', () => {
    expect(validate({ runs: [] })).toBe(false);
    expect(validate({ version: '2.1.0', runs: [{ results: [] }] })).toBe(false);
  });

  it('is a log also without findings', () => {
    expect(show(makeReport([]))).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
  });

  it('describes every rule there is', () => {
    const { rules } = show(makeReport(EVERY_RULE)).tool.driver;
    expect(rules).toHaveLength(EVERY_RULE.length);
    for (const rule of rules) {
      expect(rule.shortDescription.text, rule.id).toMatch(/\S/);
      expect(rule.fullDescription.text.slice(rule.shortDescription.text.length), rule.id).toMatch(/^ [^#|[\]<\s].*\w/);
      expect(rule.help.markdown, rule.id).toMatch(new RegExp(`^# ${rule.id}\n\n[^<]`));
    }
  });

  it('leads to the sections of the rules, and from there on, by links that hold anywhere', () => {
    const documentsUrl = 'https://example.com/dockbell/main/';
    const { driver } = show(makeReport(EVERY_RULE, { tool: { version: '1.2.3', documentsUrl } })).tool;
    expect(driver.informationUri).toBe(documentsUrl);
    for (const { id, help, helpUri } of driver.rules) {
      expect(helpUri).toBe(`${documentsUrl}reference/diagnostics#${id.replace('/', '')}`);
      expect(help.text, id).toContain(helpUri);
      const targets = [...help.markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target);
      expect(targets, id).toContain(`${documentsUrl}reference/diagnostics`);
      for (const target of targets)
        expect(target, id).toMatch(/^https:\/\/example\.com\/dockbell\/main\/[a-z]+\/[a-z-]+(?:#|$)/);
    }
  });

  it('encodes paths, and puts a finding about the whole folder at the file that every factory may have', () => {
    const unusual = { ...finding, file: 'a b/wéb:hooks/50%#?.yaml' };
    const run = show(makeReport({ factories: [makeFactory([unusual, { ...finding, file: '' }], { folder: 'a b/' })] }));
    const uris = run.results.map(
      (one: { locations: { physicalLocation: { artifactLocation: { uri: string } } }[] }) =>
        one.locations[0]!.physicalLocation.artifactLocation.uri,
    );
    expect(uris).toEqual(['a%20b/w%C3%A9b%3Ahooks/50%25%23%3F.yaml', 'a%20b/factory.yaml']);
    expect(decodeURIComponent(uris[0])).toBe(unusual.file);
  });

  it('lets no text become a placeholder or a link', () => {
    const run = show(makeReport([{ ...finding, message: HOSTILE, hint: '' }]));
    expect(run.results[0].message.text).toContain('{{0}} [click\\](https://evil.example)');
    expect(run.results[0].message.text).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028]/u);
  });
});
