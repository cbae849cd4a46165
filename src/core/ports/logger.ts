/** What a line says beside its message. Values are serialised; secrets among them are masked by value. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The daemon's log. An error goes under the field `err`, so that its stack and causes are kept. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds these fields to every line. */
  child(fields: LogFields): Logger;
}
