import { all, inZone, on } from './page';

/** Date and time fields: shown in the reader's zone, submitted in UTC. */

/** Formats a time for a `datetime-local` field. */
const inField = (at: Date): string => at.toLocaleString('sv-SE', inZone).replace(' ', 'T');

/** Converts a field's local time to UTC. */
function meant(value: string): string {
  const at = new Date(value + 'Z');
  return new Date(2 * at.getTime() - Date.parse(inField(at) + 'Z')).toISOString();
}

export function localizeFields(within: ParentNode): void {
  for (const one of all<HTMLInputElement>('[data-zone=""]', within))
    one.textContent = one.value = inZone.timeZone;
  for (const one of all<HTMLInputElement>('[data-moment][value]:not([value=""])', within))
    one.defaultValue = one.value = inField(new Date(one.getAttribute('value') + 'Z'));
}

on('formdata', (form, { formData }) => {
  for (const one of all<HTMLInputElement>('[data-moment]', form))
    if (one.value) formData.set(one.name, meant(one.value));
});
