import { type NetworkConditions } from './faults/network-conditions';
import { type ContactDeps } from './contacts/dependencies';
import { type FailureScripts } from './faults/failure-scripts';
import { type AccountStates } from './faults/account-states';
import { type LineStates } from './faults/line-states';
import { type Book } from './billing/book';
import { type StatusTimelines } from './contacts/status-timeline';
import { type SandboxClock } from './clock';
import { type ManagedState } from './management/managed-state';
import { type ReviewedDeps } from './templates/template-review';

/**
 * Dependencies shared by all routes of the sandbox. Lines are not included, because they depend on the
 * request.
 */
export interface SandboxDeps extends ContactDeps, ReviewedDeps {
  lineStates: LineStates;
  accountStates: AccountStates;
  managed: ManagedState;
  failures: FailureScripts;
  conditions: NetworkConditions;
  timelines: StatusTimelines;
  book: Book;
  clock: SandboxClock;
}
