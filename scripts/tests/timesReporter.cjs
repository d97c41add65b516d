/** Extends mocha's `spec` reporter: writes the seconds of each test file, including hooks, to the file GEMM_TEST_TIMES. */
const { readFileSync, writeFileSync } = require('node:fs');
const path = require('node:path');
const { Runner, reporters } = require('mocha');

const { EVENT_HOOK_END, EVENT_RUN_END, EVENT_TEST_END } = Runner.constants;

const read = file => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
};

module.exports = class TimesReporter extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const seconds = {};
    const add = ({ file, parent, duration = 0 }) => {
      const at = file ?? parent?.file;
      if (at !== undefined) seconds[at] = (seconds[at] ?? 0) + duration / 1000;
    };
    runner.on(EVENT_TEST_END, add);
    runner.on(EVENT_HOOK_END, add);
    runner.once(EVENT_RUN_END, () => {
      const out = process.env.GEMM_TEST_TIMES;
      if (out === undefined) return;
      const named = Object.entries(seconds).map(([file, value]) => [
        path
          .relative(path.join('out', 'test'), file)
          .split(path.sep)
          .join('/')
          .replace(/\.js$/, '.ts'),
        Number(value.toFixed(2)),
      ]);
      writeFileSync(out, JSON.stringify({ ...read(out), ...Object.fromEntries(named) }));
    });
  }
};
