import { type VNode } from 'preact';

interface AvatarProps {
  name: string | null;
  /** Whose it is, by number or user id: each has a colour. */
  of: string;
}

/** How many there are in the stylesheet. */
const HUES = 6;

/** The first letter of a name in a circle, by which a row is found again. */
export const Avatar = ({ name, of: contact }: AvatarProps): VNode => (
  <span class="avatar" data-hue={hueOf(contact)} aria-hidden="true">
    {initialOf(name ?? contact)}
  </span>
);

const hueOf = (contact: string): number =>
  [...contact].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0) % HUES;

/** The first letter; for a number, the digits that distinguish it. */
export const initialOf = (name: string): string =>
  /^\d+$/.test(name) ? name.slice(-2) : ([...name.trim()][0]?.toUpperCase() ?? '?');
