import { AppError } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports/logger.ts';
import type { Environment } from '../../domain/runs/reserved-variables.ts';

/** File descriptors of the sockets that systemd listens on for this process (sd_listen_fds(3)). */
interface InheritedSockets {
  /** Empty: the ingress binds the address of the configuration. */
  ingress: readonly number[];
  /** `null`: the admin listener binds the address of the configuration. */
  admin: number | null;
}

/** The first file descriptor after standard input, output and error. */
const FIRST_FD = 3;

/**
 * Reads which sockets belong to which listener: by the names `ingress` and `admin`, or the only one if it has no such name.
 * Throws `config_invalid` if that is not clear. An order of unnamed sockets is not accepted: it would give a second public
 * address of the ingress to the admin listener.
 *
 * @param env with `LISTEN_PID`, `LISTEN_FDS` and `LISTEN_FDNAMES`
 * @param pid of this process
 */
export function readInheritedSockets(env: Environment, pid: number, logger: Logger): InheritedSockets {
  const names = readNames(env);
  if (names.length > 0 && env.LISTEN_PID !== String(pid)) {
    const hint = 'start dockbell directly or with exec, without a shell or npm in between';
    logger.warn({ listenPid: env.LISTEN_PID ?? null, pid, hint }, 'sockets of systemd are for another process');
    return { ingress: [], admin: null };
  }
  const isNamed = (name: string) => name === 'ingress' || name === 'admin';
  if (names.length === 1 && !isNamed(names[0]!)) return { ingress: [FIRST_FD], admin: null };
  const unknown = names.find((name) => !isNamed(name));
  if (unknown !== undefined) {
    throw reject(`socket name "${unknown}" is unknown: set FileDescriptorName=ingress or FileDescriptorName=admin`);
  }
  const find = (wanted: string) => names.flatMap((name, index) => (name === wanted ? [FIRST_FD + index] : []));
  const [admin = null, second] = find('admin');
  if (second !== undefined) throw reject('several sockets have the name "admin": the admin listener uses one');
  return { ingress: find('ingress'), admin };
}

/** One name for each socket; empty names without `LISTEN_FDNAMES`. */
function readNames({ LISTEN_FDS, LISTEN_FDNAMES }: Environment): string[] {
  if (!LISTEN_FDS) return [];
  if (!/^\d{1,4}$/.test(LISTEN_FDS)) throw reject(`LISTEN_FDS "${LISTEN_FDS}" is not a number of sockets`);
  const count = Number(LISTEN_FDS);
  if (LISTEN_FDNAMES === undefined) return Array.from({ length: count }, () => '');
  const names = LISTEN_FDNAMES.split(':');
  if (names.length !== count) {
    throw reject(`LISTEN_FDNAMES "${LISTEN_FDNAMES}" does not have a name for each of ${count} sockets`);
  }
  return names;
}

function reject(problem: string): AppError {
  return new AppError('config_invalid', `sockets of systemd: ${problem}`);
}
