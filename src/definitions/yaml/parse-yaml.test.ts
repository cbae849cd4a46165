import { afterEach, describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

const { env } = process;
const { stackTraceLimit } = Error;
afterEach(() => {
  process.env = env;
});

describe('parseYaml', () => {
  it.each([
    ['a text that is right', 'a: [1, 2]\nb: { c: d }\n'],
    ['one that is not', 'a: [1, 2\nb: }\n'],
  ])('of %s asks the environment for nothing, and leaves it and the stack traces as they are', (_what, text) => {
    const asked: (string | symbol)[] = [];
    const watched = new Proxy<NodeJS.ProcessEnv>({}, { get: (_target, name) => void asked.push(name) });
    process.env = watched;
    parseYaml(text);
    expect(asked).toEqual([]);
    expect(process.env).toBe(watched);
    expect(Error.stackTraceLimit).toBe(stackTraceLimit);
  });
});
