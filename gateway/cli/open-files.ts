import { settingFiles, type Config } from '../config';
import { dataFolder, sqliteFile } from '../files/data-folder';
import { filesOpenToOthers } from '../files/file-modes';
import { type createLog } from '../log';

/**
 * Warns about files that other users can access, without changing them, because that may be intended. Call it
 * before opening the database, because files next to it get its mode.
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
