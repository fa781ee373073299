/** Everything that the sandbox's routes work on, given to each of them, but the lines: those belong to the request. */
import { type Callbacks } from './callbacks';
import { type Conditions } from './conditions';
import { type ContactBook } from './contact-book';
import { type Remembered } from './contacts-file';
import { type Conversations, type LastWrote } from './conversations';
import { type FailureScripts } from './failures';
import { type LineStates } from './line-states';
import { type MediaFiles } from './media';
import { type MessageJourneys } from './message-journeys';
import { type SandboxClock } from './sandbox-clock';
import { type PathSwitches } from './status-paths';
import { type TemplateShelf } from './template-shelf';

export interface World {
  templates: TemplateShelf;
  lineStates: LineStates;
  contacts: ContactBook;
  conversations: Conversations;
  paths: PathSwitches;
  failures: FailureScripts;
  conditions: Conditions;
  callbacks: Callbacks;
  journeys: MessageJourneys;
  media: MediaFiles;
  clock: SandboxClock;
  /** The clock's time. */
  now: () => Date;
  /** Records that contacts wrote, on disk too where there is a file for it. */
  wrote: (...entries: LastWrote[]) => Promise<void>;
  /** Records what else is to survive a restart, where there is a file for it. */
  keep: (...happened: Remembered[]) => Promise<void>;
}
