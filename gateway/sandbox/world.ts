/** Everything that the sandbox's routes work on, given to each of them. */
import { type SandboxAccount } from './account';
import { type Callbacks } from './callbacks';
import { type Conversations, type LastWrote } from './conversations';
import { type MessageJourneys } from './message-journeys';

export interface World {
  account: SandboxAccount;
  conversations: Conversations;
  callbacks: Callbacks;
  journeys: MessageJourneys;
  now: () => Date;
  /** Records that a contact wrote, on disk too where there is a file for it. */
  wrote: (entry: LastWrote) => Promise<void>;
}
