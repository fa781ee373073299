import { type Callbacks } from '../platform/callbacks';
import { type ContactStore } from './contact-store';
import { type Remembered } from './contacts-file';
import { type Conversations, type LastWrote } from './conversations';
import { type MediaFiles } from '../platform/media-files';
import { type PathSwitches } from './status-paths';

/** Dependencies of the contacts' side of the sandbox. */
export interface ContactDeps {
  contacts: ContactStore;
  conversations: Conversations;
  paths: PathSwitches;
  media: MediaFiles;
  callbacks: Callbacks;
  /** The time of the sandbox's clock. */
  now: () => Date;
  /** Records that contacts wrote. Also saves it if a data file is configured. */
  wrote: (...entries: LastWrote[]) => Promise<void>;
  /** Saves entries for the next start, if a data file is configured. */
  keep: (...happened: Remembered[]) => Promise<void>;
}
