import { BASE } from './style-base';
import { PARTS } from './style-parts';
import { TRAFFIC } from './style-traffic';

/** The one stylesheet of the panel, of its parts. A page that needs rules of its own adds a file here. */
export const STYLE = [BASE, PARTS, TRAFFIC].join('\n');
