/** Name of a webhook or of an automation: its file or folder name. */
export const WEBHOOK_NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Name of a team secret; also a portable name of an environment variable. */
export const SECRET_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
