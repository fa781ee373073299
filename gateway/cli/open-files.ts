import { settingFiles, type Config } from '../config';
import { dataFolder, sqliteFile } from '../files/data-folder';
import { filesOpenToOthers } from '../files/file-modes';
import { type createLog } from '../log';

/**
 * Told once, and left as it is: somebody may have meant it. Before a file is opened, as what is made beside a database
 * takes its mode from that.
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
