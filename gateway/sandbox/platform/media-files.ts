import { hash, randomBytes, randomInt } from 'node:crypto';
import { type SandboxLine } from './account';

export interface MediaFile {
  id: string;
  /** The phone number id for which it was uploaded, or to which it was sent. */
  line: string;
  type: string;
  bytes: Buffer;
}

/** Bytes of the largest file. */
export const FILE_MOST = 100 * 1024 * 1024;
/** For all files together: twice the largest. */
const ALL_MOST = 2 * FILE_MOST;
const LINK_LIVES = 5 * 60 * 1000;

/** Message types whose content is a file. */
export const WITH_FILE = ['audio', 'document', 'image', 'sticker', 'video'];

/** Media files, uploaded or sent. They are in memory, the oldest given up for the newest; a restart forgets them all. */
export class MediaFiles {
  /** By id, oldest first. */
  private readonly files = new Map<string, MediaFile>();
  private size = 0;
  /** Signs the addresses. */
  private readonly secret = randomBytes(32).toString('hex');

  constructor(private readonly now: () => Date) {}

  keep(line: SandboxLine, type: string, bytes: Buffer): MediaFile {
    const id = `${randomInt(10_000_000, 100_000_000)}${String(randomInt(100_000_000)).padStart(8, '0')}`;
    const file = { id, line: line.phoneNumberId, type, bytes };
    this.files.set(id, file);
    this.size += bytes.length;
    for (const oldest of this.files.keys()) {
      if (this.size <= ALL_MOST) break;
      this.delete(oldest);
    }
    return file;
  }

  /** Undefined for a file of other lines. */
  find(id: string, lines: readonly SandboxLine[]): MediaFile | undefined {
    const file = this.files.get(id);
    return lines.some(({ phoneNumberId }) => phoneNumberId === file?.line) ? file : undefined;
  }

  delete(id: string): void {
    this.size -= this.files.get(id)?.bytes.length ?? 0;
    this.files.delete(id);
  }

  /** The query of a new address. */
  sign({ id }: MediaFile): string {
    const until = String(this.now().getTime() + LINK_LIVES);
    return new URLSearchParams({ mid: id, ext: until, hash: this.hashOf(id, until) }).toString();
  }

  /** Whether an address was made here and still lives. */
  isSigned(id: string, until: string, given: string): boolean {
    return given === this.hashOf(id, until) && Number(until) > this.now().getTime();
  }

  private readonly hashOf = (id: string, until: string) => hash('sha256', `${this.secret} ${id} ${until}`);
}
