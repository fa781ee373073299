import { BASE } from './style-base';
import { LINES } from './style-lines';
import { PARTS } from './style-parts';
import { PHONE } from './style-phone';
import { TRAFFIC } from './style-traffic';

/** The one stylesheet of the panel, of its parts. A page that needs rules of its own adds a file here. */
export const STYLE = [BASE, PARTS, LINES, PHONE, TRAFFIC].join('\n');
