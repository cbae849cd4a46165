#!/usr/bin/env node
import { createProcessContext } from './cli/context.ts';
import { runProgram } from './cli/run-program.ts';

process.exitCode = await runProgram(process.argv.slice(2), createProcessContext(process));
