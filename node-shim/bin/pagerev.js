#!/usr/bin/env node
import { run } from '../lib/index.js';

run(process.argv.slice(2), { stdout: (t) => process.stdout.write(t), stderr: (t) => process.stderr.write(t) }).then(({ code }) => {
  process.exitCode = code;
});
