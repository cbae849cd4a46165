import type { Reporter, TestModule } from 'vitest/node';

/** Ends the output with one line that counts the tests: `16 passed, 0 failed`. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const states = modules.flatMap(({ children }) => [...children.allTests()]).map((test) => test.result().state);
    const count = (state: (typeof states)[number]) => states.filter((one) => one === state).length;
    const omitted = count('skipped') === 0 ? '' : `, ${count('skipped')} skipped`;
    console.log(`${count('passed')} passed, ${count('failed')} failed${omitted}`);
  }
}
