import { type VNode } from 'preact';

interface AvatarProps {
  name: string | null;
  /** The contact's number or user id, which determines the color. */
  of: string;
}

/** The number of colors in the stylesheet. */
const HUES = 6;

/** A circle with a name's first letter, to recognize rows by. */
export const Avatar = ({ name, of: contact }: AvatarProps): VNode => (
  <span class="avatar" data-hue={hueOf(contact)} aria-hidden="true">
    {initialOf(name ?? contact)}
  </span>
);

const hueOf = (contact: string): number =>
  [...contact].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0) % HUES;

/** The first letter of a name, or the last digits of a number. */
export const initialOf = (name: string): string =>
  /^\d+$/.test(name) ? name.slice(-2) : ([...name.trim()][0]?.toUpperCase() ?? '?');
