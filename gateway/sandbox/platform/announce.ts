import { type Callbacks } from './callbacks';
import { type JsonObject } from './json';
import { accountNotification } from './notifications';

interface AnnounceDeps {
  callbacks: Callbacks;
  now: () => Date;
}

/** Sends an account notification to the callback without waiting; returns its field and value. */
export function announce(
  { callbacks, now }: AnnounceDeps,
  wabaId: string,
  field: string,
  value: JsonObject,
): JsonObject {
  void callbacks.send(wabaId, accountNotification(wabaId, now(), field, value));
  return { field, value };
}
