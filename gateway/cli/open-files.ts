import { settingFiles, type Config } from '../config';
import { dataFolder, sqliteFile } from '../files/data-folder';
import { filesOpenToOthers } from '../files/file-modes';
import { type createLog } from '../log';

/**
 * Warned about once and not changed: it may be intended. Called before a file is opened, because files beside a
 * database get its mode.
 */
export function warnOfOpenFiles(
  config: Config,
  env: NodeJS.ProcessEnv,
  log: ReturnType<typeof createLog>,
): void {
  const files = filesOpenToOthers(dataFolder(config), sqliteFile(config), settingFiles(env));
  if (files.length)
    log.warn(
      { files },
      'other users of this machine may read or replace files of the gateway; to change that: chmod 600, and 700 for the folder',
    );
}
