import { type Callbacks } from './callbacks';
import { type JsonObject } from './json';
import { accountNotification } from './notifications';

interface AnnounceDeps {
  callbacks: Callbacks;
  now: () => Date;
}

/** Sends the callback an account notification; answers what is on its way. */
export function announce(
  { callbacks, now }: AnnounceDeps,
  wabaId: string,
  field: string,
  value: JsonObject,
): JsonObject {
  void callbacks.send(wabaId, accountNotification(wabaId, now(), field, value));
  return { field, value };
}
