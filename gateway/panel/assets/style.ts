import { BASE } from './style-base';
import { LINES } from './style-lines';
import { PARTS } from './style-parts';

/** The one stylesheet of the panel, of its parts. A page that needs rules of its own adds a file here. */
export const STYLE = [BASE, PARTS, LINES].join('\n');
