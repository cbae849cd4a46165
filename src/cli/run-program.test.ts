import { describe, expect, it } from 'vitest';
import { runCli } from '../../test/helpers/run-cli.ts';
import { AppError } from '../domain/errors.ts';
import { CliError, codeOfStatus, exitCodeOf } from './exit-codes.ts';

describe('the program', () => {
  it.each([
    [['--help']],
    [['help']],
    [['--version']],
    [['validate', '--help']],
    [['help', 'secret']],
    [['delivery', 'list', '--help']],
  ])('%j ends with 0 and writes to standard output', async (argv) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toBe('');
  });

  it.each([
    [['nope'], "Unknown command 'nope'"],
    [['stauts'], 'Did you mean status?'],
    [['status', '--nope'], "Unknown option '--nope'"],
    [['status', 'extra'], 'Too many arguments'],
    [['secret', 'rotate'], "Unknown command 'rotate'"],
    [['secret', 'create'], "Missing required argument 'name'"],
    [['status', '--timeout', '2'], 'a whole number and a unit'],
    [['delivery', 'list', 'x', '--limit', '0'], 'a whole number from 1'],
    [['delivery', 'list', 'x', '--limit', '1e3'], 'a whole number from 1'],
    [['delivery', 'show', 'x', '--payload', '--json'], 'cannot be used with'],
    [['run', 'list', '--state', 'lost'], 'Allowed choices are'],
    [['validate', '--format', 'xml'], 'Allowed choices are'],
    [['token', 'create', 'x', '--role', 'god'], 'Allowed choices are'],
    [['send'], 'Specify either a webhook'],
    [['send', 'x', '--to', 'http://127.0.0.1'], 'Specify either a webhook'],
    [['send', '--to', 'http://127.0.0.1'], '--to requires the secret'],
    [['send', 'x', '--scheme', 'github'], 'require --to'],
    [['send', '--to', 'http://127.0.0.1', '--auth-mode', 'signature'], '--scheme and --auth-mode'],
    [['filter', 'test', '--payload', 'x'], 'Specify either --filter'],
    [['filter', 'test', '--filter', 'x'], 'Specify either --payload'],
    [['filter', 'test', '--filter', '-', '--payload', '-'], 'standard input'],
    [['status', '--url', 'localhost:8788'], 'not the address of a daemon'],
    [['apply'], "Unknown command 'apply'"],
  ])('%j is wrong usage: 2, a sentence on standard error, nothing on standard output', async (argv, sentence) => {
    const { code, stdout, stderr } = await runCli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('    at ');
  });
});

describe('exit codes of errors', () => {
  it.each([
    [new CliError('x'), 2],
    [new CliError('x', { code: 'not_found' }), 1],
    [new CliError('x', { code: 'declined' }), 1],
    [new CliError('x', { code: 'ambiguous' }), 2],
    [new CliError('x', { code: 'unreachable' }), 3],
    [new CliError('x', { code: 'unauthorized' }), 4],
    [new CliError('x', { code: 'interrupted' }), 130],
    [new AppError('conflict', 'x'), 1],
    [new AppError('config_invalid', 'x'), 2],
    [new AppError('storage_unavailable', 'x'), 3],
    [new AppError('forbidden', 'x'), 4],
    [new Error('x'), 2],
    ['x', 2],
  ])('%o is %d', (error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });

  it.each([
    [401, 4],
    [403, 4],
    [404, 2],
    [429, 3],
    [502, 3],
    [504, 3],
  ])('of an answer with status %d that is not of Dockbell is %d', (status, code) => {
    expect(exitCodeOf(new CliError('x', { code: codeOfStatus(status) }))).toBe(code);
  });
});
