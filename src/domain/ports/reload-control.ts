/** What a reload of the configuration did. */
export interface ConfigReload {
  /** Names of the options that took effect. */
  applied: string[];
  /** Names of the options that take effect at the next start. */
  needRestart: string[];
  /** Names of the factories that the configuration has for the first time, has with other keys, or no longer has. */
  factories: { added: string[]; changed: string[]; removed: string[] };
}

export interface ReloadControl {
  /** Reads the configuration again. Throws `config_invalid`, and then nothing has changed. */
  reload(): Promise<ConfigReload>;
}
