/**
 * Digits with country code as people write them: `+1 202-555-0147`. Of countries whose way is not written here they stand
 * together after the `+`; a user id stays as it is.
 */
export function contactText(contact: string): string {
  if (!/^\d{7,15}$/.test(contact)) return contact;
  for (const [written, shown] of WAYS)
    if (written.test(contact)) return contact.replace(written, shown).replace('  ', ' ');
  return `+${contact}`;
}

const WAYS: [RegExp, string][] = [
  // The United States, Canada and others
  [/^1(\d{3})(\d{3})(\d{4})$/, '+1 $1-$2-$3'],
  // Brazil
  [/^55(\d\d)(\d{4,5})(\d{4})$/, '+55 $1 $2-$3'],
  // Mexico
  [/^52(1?)([2-9]\d)(\d{4})(\d{4})$/, '+52 $1 $2 $3 $4'],
  // Argentina, Buenos Aires
  [/^54(9?)(11)(\d{4})(\d{4})$/, '+54 $1 $2 $3-$4'],
];

/** The first letter of a name, whole; of a number what tells it from others. */
export const initialOf = (name: string): string =>
  /^\d+$/.test(name) ? name.slice(-2) : ([...name.trim()][0]?.toUpperCase() ?? '?');
