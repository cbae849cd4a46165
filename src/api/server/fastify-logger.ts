import type { FastifyBaseLogger } from 'fastify';
import type { LogFields, Logger } from '../../domain/ports/logger.ts';

type Log = (fieldsOrMessage: unknown, message?: string) => void;

/** The daemon's log with the interface that Fastify expects. Levels that it does not have are dropped. */
export function createFastifyLogger(logger: Logger): FastifyBaseLogger {
  const ignore: Log = () => {};
  return {
    level: 'info',
    info: adapt(logger, 'info'),
    warn: adapt(logger, 'warn'),
    error: adapt(logger, 'error'),
    fatal: adapt(logger, 'error'),
    debug: ignore,
    trace: ignore,
    silent: ignore,
    child: (fields: LogFields) => createFastifyLogger(logger.child(fields)),
  } as FastifyBaseLogger;
}

function adapt(logger: Logger, level: 'info' | 'warn' | 'error'): Log {
  return (fieldsOrMessage, message) => {
    if (fieldsOrMessage === '') return;
    if (typeof fieldsOrMessage === 'string') logger[level]({}, fieldsOrMessage);
    else logger[level]((fieldsOrMessage ?? {}) as LogFields, message ?? '');
  };
}
