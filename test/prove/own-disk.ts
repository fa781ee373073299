import { chmodSync, copyFileSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { command, needs, needsRoot } from './commands';
import { type Stage } from './proof';

/** A file system in its own image. */
export interface OwnDisk {
  /** The mount point. */
  folder: string;
  /**
   * Simulates a power cut: the disk keeps only what was written to it, without data that programs had not
   * synced. No program may use the disk during the call.
   */
  cutPower(): void;
}

/** @param options mount options */
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
      // Copied before unmounting, which would write everything.
      copyFileSync(before, image(cuts), constants.COPYFILE_FICLONE);
      command('umount', folder);
      command('rm', before);
      mount();
    },
  };
}
