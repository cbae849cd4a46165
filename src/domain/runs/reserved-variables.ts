// Variables that the daemon sets, or that can change the code that a program loads (threat model E1).
const NAMES = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'SHELL',
  'IFS',
  'ENV',
  'BASH_ENV',
  'BASHOPTS',
  'SHELLOPTS',
  'PS4',
  'PROMPT_COMMAND',
  'ZDOTDIR',
  'TRACEPARENT',
  'TRACESTATE',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_REPL_EXTERNAL_MODULE',
  'NODE_V8_COVERAGE',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONINSPECT',
  'PERL5OPT',
  'PERL5LIB',
  'PERLLIB',
  'PERL5DB',
  'RUBYOPT',
  'RUBYLIB',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'CLASSPATH',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'HOSTALIASES',
  'RESOLV_HOST_CONF',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GIT_EXEC_PATH',
  'GIT_PROXY_COMMAND',
  'GIT_EXTERNAL_DIFF',
  'GIT_TEMPLATE_DIR',
]);
const PREFIXES = ['LD_', 'DYLD_', 'DOCKBELL_', 'BASH_FUNC_', 'MALLOC_', 'GIT_CONFIG'];

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Whether no secret may be passed to a run under this name: the daemon sets it, or it can change the code that a
 * program loads.
 */
export function isReservedVariable(name: string): boolean {
  return NAMES.has(name) || PREFIXES.some((prefix) => name.startsWith(prefix));
}

/** The environment variable with the master key, base64 of 32 bytes. It takes precedence over the file. */
export const MASTER_KEY_VARIABLE = 'DOCKBELL_MASTER_KEY';

/** Variables by which systemd addresses one process. No child process may read them as its own. */
export const SYSTEMD_VARIABLES = [
  'NOTIFY_SOCKET',
  'WATCHDOG_USEC',
  'WATCHDOG_PID',
  'LISTEN_PID',
  'LISTEN_PIDFDID',
  'LISTEN_FDS',
  'LISTEN_FDNAMES',
];
