import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunOutput } from '../../src/domain/runs/run-output.ts';
import { execute, makeRunInput, openWorkshop, type Workshop } from '../helpers/command-runs.ts';

let workshop: Workshop;
beforeEach(async () => {
  workshop = await openWorkshop();
});
afterEach(() => workshop.close());

/** What a run with this script says about its work; `undefined` if nothing. */
async function outputOf(script: string, secrets: Record<string, string> = {}): Promise<RunOutput | null | undefined> {
  return (await execute(workshop.executor(['sh', '-c', script]), makeRunInput(), { secrets })).output;
}

const problemOf = async (script: string, secrets?: Record<string, string>) =>
  (await outputOf(script, secrets))?.problem;

describe('result.json of a command', () => {
  it('is part of how the attempt ended', async () => {
    const json = '{"summary": "Fixed it", "artifacts": [{"name": "Report", "path": "out/r.html"}]}';
    expect(await outputOf(`mkdir out; touch out/r.html; echo '${json}' > result.json`)).toEqual({
      summary: 'Fixed it',
      links: [],
      artifacts: [{ name: 'Report', path: 'out/r.html' }],
      problem: null,
    });
    expect(await outputOf('true')).toBeUndefined();
  });

  it('is read of a run that failed, and a bad one changes no state', async () => {
    const failed = await execute(workshop.executor(['sh', '-c', 'echo "{" > result.json; exit 3']), makeRunInput());
    expect(failed).toMatchObject({ state: 'failed', exitCode: 3, output: { problem: expect.any(String) } });
    const passed = await execute(workshop.executor(['sh', '-c', 'echo "[]" > result.json']), makeRunInput());
    expect(passed).toMatchObject({ state: 'succeeded', error: null, output: { summary: null } });
  });

  it('shows no secret of the run, in any spelling of JSON', async () => {
    const secrets = { TOKEN: 'correct-horse' };
    const escaped =
      '{"summary": "\\u0063orrect-horse", "links": [{"title": "x", "url": "https://x.example/?t=correct-horse"}]}';
    const output = await outputOf(`printf '%s' '${escaped}' > result.json`, secrets);
    expect(output).toMatchObject({ summary: '[redacted]', problem: null });
    expect(JSON.stringify(output)).not.toContain('correct-horse');
    const named = await outputOf(`echo '{"correct-horse": 1}' > result.json`, secrets);
    expect(named?.problem).toContain('unknown key "[redacted]"');
  });

  it('shows no secret of the run that a URL encodes', async () => {
    const secrets = { TOKEN: `S3cr&t/<"v"\\x>-line ü-98765` };
    const script = `node -e 'const url = "https://e.example/a b?q=" + process.env.TOKEN + "#x y";
      require("fs").writeFileSync("result.json", JSON.stringify({ links: [{ title: "x", url }] }))'`;
    const output = await outputOf(script, secrets);
    expect(output?.links).toEqual([{ title: 'x', url: 'https://e.example/a%20b?q=[redacted]#x%20y' }]);
  });

  it('shows no part of a secret of the run in the problem', async () => {
    const secrets = { TOKEN: 'correct-horse-battery-staple-'.repeat(3) };
    const named = await problemOf(`printf '{"%s": 1}' "$TOKEN" > result.json`, secrets);
    expect(named).toContain('unknown key "[redacted]"');
    const unquoted = await problemOf(`printf '{"summary": %s}' "$TOKEN" > result.json`, secrets);
    expect(unquoted).toBe("result.json is not used: it is not valid JSON: Unexpected token 'c' is not valid JSON");
  });

  it.each([
    ['a link', 'echo "{}" > real; ln -s real result.json', 'it is a symbolic link'],
    ['a second name', 'echo "{}" > real; ln real result.json', 'it is not a regular file with one name'],
    ['a folder', 'mkdir result.json', 'it is not a regular file'],
    ['a pipe', 'mkfifo result.json', 'it is not a regular file'],
    ['16 KiB and a byte', 'head -c 16385 /dev/zero > result.json', 'it is larger than 16384 bytes'],
    ['bytes that are not UTF-8', 'printf "\\377" > result.json', 'it is not valid UTF-8'],
    [
      'a missing artifact',
      `echo '{"artifacts": [{"name": "x", "path": "x"}]}' > result.json`,
      'artifacts[0].path names no',
    ],
    [
      'an artifact behind a link',
      `ln -s / root; echo '{"artifacts": [{"name": "x", "path": "root/etc/passwd"}]}' > result.json`,
      'artifacts[0].path names no regular file',
    ],
  ])('is not used if it is %s', async (_what, script, problem) => {
    expect(await problemOf(script)).toContain(`result.json is not used: ${problem}`);
  });
});
