export interface Command {
  /** The command's words, which start its usage. */
  name: string;
  usage: string;
  does: string;
  /** One line per option. */
  options?: string[];
  /**
   * @returns the exit code; undefined for 0
   * @throws SettingError for invalid settings or arguments
   */
  run(args: string[], env: NodeJS.ProcessEnv): Promise<number | void>;
}
