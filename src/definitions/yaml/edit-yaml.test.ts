import { describe, expect, it } from 'vitest';
import { editYaml, readValues } from './edit-yaml.ts';

const WEBHOOK = `# The build server.
authMode:   token # as it always was
secretName: "CI"

# Switched off for the move.
enabled: false
deliveryIdHeader: X-Id`;

describe('editYaml', () => {
  it('changes the value of a key and nothing else', () => {
    expect(editYaml(WEBHOOK, { secretName: 'OTHER', authMode: 'url_token' })).toBe(
      WEBHOOK.replace('"CI"', 'OTHER').replace('token #', 'url_token #'),
    );
  });

  it('removes keys with their lines, and adds keys at the end', () => {
    expect(editYaml(WEBHOOK, { enabled: undefined, description: 'a: b' })).toBe(
      `${WEBHOOK.replace('enabled: false\n', '')}\ndescription: "a: b"\n`,
    );
  });

  it('does not change a text without changes', () => {
    expect(editYaml(WEBHOOK, { enabled: false, secretName: 'CI', description: undefined })).toBe(WEBHOOK);
  });

  it.each([
    ['a flow map', '{ secretName: CI, enabled: true } # all of it\n'],
    ['an anchor', 'secretName: &s CI\ndescription: *s\n'],
    ['a block text', 'secretName: >-\n  CI\nenabled: true\n'],
    ['an empty text', ''],
    ['comments alone', '# nothing yet\n'],
    ['line ends of Windows', 'secretName: CI\r\nenabled: true\r\n'],
    ['a document start', '---\nsecretName: CI\n'],
    ['an empty value', 'secretName:\nenabled: true\n'],
  ])('changes values in %s', (_name, text) => {
    for (const changes of [
      { secretName: 'NEW' },
      { enabled: false },
      { enabled: undefined },
      { description: 'x\ny: #' },
    ]) {
      const wanted: Record<string, unknown> = { ...readValues(text), ...changes };
      for (const [key, value] of Object.entries(wanted)) if (value === undefined) delete wanted[key];
      expect(readValues(editYaml(text, changes))).toEqual(wanted);
    }
  });

  it.each(['yes', 'null', '1e3', '- x', '#', "it's", '', ' ', 'a: b', '\u2028', '"', '%', '@x', '\ttab', 'x\n'])(
    'writes %j as a string',
    (description) => {
      expect(readValues(editYaml(WEBHOOK, { description })).description).toBe(description);
      const before = editYaml(WEBHOOK, { description: 'before' });
      expect(readValues(editYaml(before, { description })).description).toBe(description);
    },
  );
});
