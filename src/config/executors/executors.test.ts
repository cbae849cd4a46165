import { describe, expect, it } from 'vitest';
import { EXECUTOR_NAMES, EXECUTOR_OPTIONS, EXECUTORS, LED_EXECUTORS, LOCAL_EXECUTORS } from './executors.ts';

describe('the table of executors', () => {
  it('names those that start processes, and those whose runs the leader executes', () => {
    expect(EXECUTOR_NAMES).toEqual(['command', 'queue', 'http', 'container']);
    expect(LOCAL_EXECUTORS).toEqual(['command', 'container']);
    expect(LED_EXECUTORS).toEqual(['http']);
  });

  it.each(EXECUTOR_NAMES)('gives %s a summary and options of its type only', (name) => {
    expect(EXECUTORS[name].summary).toMatch(new RegExp(`^\`${name}\`: .+\\.$`));
    for (const [key, option] of Object.entries(EXECUTORS[name].options)) {
      expect(option).toMatchObject({ onlyWith: name });
      expect(EXECUTOR_OPTIONS).toHaveProperty([key], option);
    }
  });
});
