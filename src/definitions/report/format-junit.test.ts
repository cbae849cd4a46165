import { describe, expect, it } from 'vitest';
import { finding, HOSTILE, makeFactory, makeReport } from '../../../test/helpers/make-report.ts';
import { formatJunit } from './format-junit.ts';

const warning = { ...finding, severity: 'warning' as const };

describe('formatJunit', () => {
  it('has a suite for each folder and a case for each file', () => {
    const first = makeFactory([finding, { ...finding, line: 3 }, warning], {
      files: ['webhooks/ci.yaml', 'webhooks/b.yaml'],
    });
    const second = makeFactory([], { folder: 'other/', files: ['other/webhooks/c.yaml'] });
    expect(formatJunit(makeReport({ factories: [first, second] })).split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites name="dockbell validate" tests="3" failures="1" errors="0" skipped="0" time="0">',
      '  <testsuite name="." tests="2" failures="1" errors="0" skipped="0" time="0">',
      '    <testcase classname="." name="webhooks/ci.yaml" file="webhooks/ci.yaml" time="0">',
      '      <failure message="The key &quot;authmode&quot; does not exist. (and 1 more finding)" type="webhook/unknown-key">webhooks/ci.yaml:2:3 error The key &quot;authmode&quot; does not exist. [webhook/unknown-key]',
      'hint: Did you mean &quot;authMode&quot;?',
      'webhooks/ci.yaml:3:3 error The key &quot;authmode&quot; does not exist. [webhook/unknown-key]',
      'hint: Did you mean &quot;authMode&quot;?</failure>',
      '      <system-out>webhooks/ci.yaml:2:3 warning The key &quot;authmode&quot; does not exist. [webhook/unknown-key]',
      'hint: Did you mean &quot;authMode&quot;?</system-out>',
      '    </testcase>',
      '    <testcase classname="." name="webhooks/b.yaml" file="webhooks/b.yaml" time="0"/>',
      '  </testsuite>',
      '  <testsuite name="other" tests="1" failures="0" errors="0" skipped="0" time="0">',
      '    <testcase classname="other" name="other/webhooks/c.yaml" file="other/webhooks/c.yaml" time="0"/>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ]);
  });

  it('fails a case for warnings only with --strict', () => {
    expect(formatJunit(makeReport([warning]))).toContain('failures="0"');
    expect(formatJunit(makeReport([warning]))).toContain('<system-out>');
    expect(formatJunit(makeReport([warning], { isStrict: true }))).toContain('<failure message=');
    expect(formatJunit(makeReport([warning], { isStrict: true }))).not.toContain('<system-out>');
  });

  it('has a case for a finding about the whole folder', () => {
    expect(formatJunit(makeReport([{ ...finding, file: '' }]))).toContain('<testcase classname="." name="." file="."');
  });

  it('is valid XML 1.0 for any text', () => {
    const xml = formatJunit(
      makeReport([{ ...finding, file: HOSTILE, message: HOSTILE, hint: HOSTILE, rule: HOSTILE }]),
    );
    // The characters that XML 1.0 allows, less the reordering ones.
    expect(xml).toMatch(/^[\n\x20-\x7e\xa0-\u2027\u202f-\ud7ff\ue000-\ufffd]+$/u);
    const texts = xml.replace(
      /<\/?[a-z]+(?: [a-z]+="[^"<&]*(?:&(?:amp|lt|gt|quot);[^"<&]*)*")*\/?>|<\?xml [^>]*>/g,
      '',
    );
    expect(texts).not.toMatch(/[<>]|&(?!(?:amp|lt|gt|quot);)/);
    expect(texts).toContain('&lt;b&gt;]]&gt;&amp;amp;\\x00');
  });
});
