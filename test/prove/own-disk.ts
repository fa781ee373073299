import { chmodSync, copyFileSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, needs, needsRoot } from './commands';
import { type Stage } from './proof';

/** A file system in an image of its own. */
export interface OwnDisk {
  /** At which it is mounted. */
  folder: string;
  /**
   * Takes the power away: what the disk holds from now on is what had been written to it, and not what programs had
   * handed to the kernel without syncing it. Nobody may use it any more when this is called.
   */
  cutPower(): void;
}

/** @param options of its mount */
export function mountOwnDisk(
  stage: Pick<Stage, 'folder' | 'atEnd'>,
  megabytes: number,
  options: string[] = [],
): OwnDisk {
  needs({ 'mkfs.ext4': 'e2fsprogs', mount: 'mount' });
  needsRoot('mount a file system');
  const folder = join(stage.folder, 'disk');
  const image = (number: number) => join(stage.folder, `disk-${number}.img`);
  const mount = () => command('mount', '-o', ['loop', ...options].join(','), image(cuts), folder);
  let cuts = 0;
  mkdirSync(folder);
  command('truncate', '-s', `${megabytes}M`, image(cuts));
  command('mkfs.ext4', '-q', '-m', '0', image(cuts));
  mount();
  stage.atEnd(() => command('umount', '-l', folder));
  chmodSync(folder, 0o755);
  return {
    folder,
    cutPower() {
      const before = image(cuts++);
      // Before it is unmounted, which writes all of it.
      copyFileSync(before, image(cuts), constants.COPYFILE_FICLONE);
      command('umount', folder);
      command('rm', before);
      mount();
    },
  };
}
