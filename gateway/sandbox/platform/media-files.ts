import { hash, randomBytes, randomInt } from 'node:crypto';
import { type SandboxLine } from './account';

export interface MediaFile {
  id: string;
  /** The phone number ID of the line that uploaded or received the file. */
  line: string;
  type: string;
  bytes: Buffer;
}

/** The largest file, in bytes. */
export const FILE_MOST = 100 * 1024 * 1024;
/** The limit for all files together, in bytes. */
const ALL_MOST = 2 * FILE_MOST;
const LINK_LIVES = 5 * 60 * 1000;

/** Message types whose content is a file. */
export const WITH_FILE = ['audio', 'document', 'image', 'sticker', 'video'];

/** Uploaded and received media files, in memory only. The oldest are dropped to make room. */
export class MediaFiles {
  /** By id, oldest first. */
  private readonly files = new Map<string, MediaFile>();
  private size = 0;
  /** The key for signing URLs. */
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

  /** Returns the file; undefined if it belongs to other lines. */
  find(id: string, lines: readonly SandboxLine[]): MediaFile | undefined {
    const file = this.files.get(id);
    return lines.some(({ phoneNumberId }) => phoneNumberId === file?.line) ? file : undefined;
  }

  delete(id: string): void {
    this.size -= this.files.get(id)?.bytes.length ?? 0;
    this.files.delete(id);
  }

  /** Returns the query of a new URL for the file. */
  sign({ id }: MediaFile): string {
    const until = String(this.now().getTime() + LINK_LIVES);
    return new URLSearchParams({ mid: id, ext: until, hash: this.hashOf(id, until) }).toString();
  }

  /** Whether a URL was signed here and has not expired. */
  isSigned(id: string, until: string, given: string): boolean {
    return given === this.hashOf(id, until) && Number(until) > this.now().getTime();
  }

  private readonly hashOf = (id: string, until: string) => hash('sha256', `${this.secret} ${id} ${until}`);
}
