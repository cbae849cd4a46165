import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTempDir } from '../../../test/helpers/temp-dir.ts';
import { OutputReader } from './output-reader.ts';

function createLog(text: string): string {
  const file = join(createTempDir('output'), 'run.log');
  writeFileSync(file, text);
  return file;
}

describe('the output that a worker sends', () => {
  it('is last only if it contains what the command wrote after a part was read', async () => {
    const file = createLog('first\n');
    const output = new OutputReader(file);
    const part = await output.next();
    expect(part).toEqual({ text: 'first\n', offset: 0 });
    expect(await output.isLast()).toBe(true);
    appendFileSync(file, 'second\n');
    expect(await output.isLast()).toBe(false);
    // The part is the same until it was sent.
    expect(await output.next()).toBe(part);
    output.confirm(part);
    expect(await output.isLast()).toBe(true);
    expect(await output.next()).toEqual({ text: 'second\n', offset: 6 });
  });

  it('is sent in parts if it is long', async () => {
    const text = 'é'.repeat(150_000);
    const output = new OutputReader(createLog(text));
    let sent = '';
    while (!(await output.isLast())) {
      const part = await output.next();
      sent += part.text;
      output.confirm(part);
    }
    expect(sent + (await output.next()).text).toBe(text);
    expect(sent).not.toBe('');
  });

  it('is empty without a log', async () => {
    const output = new OutputReader(join(createTempDir('output'), 'none'));
    expect(await output.isLast()).toBe(true);
    expect((await output.next()).text).toBe('');
  });
});
