import { type Callbacks } from '../platform/callbacks';
import { type ContactStore } from './contact-store';
import { type Remembered } from './contacts-file';
import { type Conversations, type LastWrote } from './conversations';
import { type MediaFiles } from '../platform/media-files';
import { type PathSwitches } from './status-paths';

/** What the contacts' side of the sandbox works on. */
export interface ContactDeps {
  contacts: ContactStore;
  conversations: Conversations;
  paths: PathSwitches;
  media: MediaFiles;
  callbacks: Callbacks;
  /** The clock's time. */
  now: () => Date;
  /** Records that contacts wrote, also on disk if there is a file for it. */
  wrote: (...entries: LastWrote[]) => Promise<void>;
  /** Records other data for the next start, if there is a file for it. */
  keep: (...happened: Remembered[]) => Promise<void>;
}
