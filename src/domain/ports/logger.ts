/** Fields of a log line. Values are serialized, and secrets in them are masked by value. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The daemon's log. Pass errors in the field `err`, so that their stack and causes are kept. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}
