/** Everything that the sandbox's routes work on, given to each of them, but the lines: those belong to the request. */
import { type Callbacks } from './callbacks';
import { type Conversations, type LastWrote } from './conversations';
import { type MediaFiles } from './media';
import { type MessageJourneys } from './message-journeys';
import { type Template } from './starter-templates';

export interface World {
  /** The same for every business account. */
  templates: readonly Template[];
  conversations: Conversations;
  callbacks: Callbacks;
  journeys: MessageJourneys;
  media: MediaFiles;
  now: () => Date;
  /** Records that a contact wrote, on disk too where there is a file for it. */
  wrote: (entry: LastWrote) => Promise<void>;
}
