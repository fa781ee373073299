import { type Line } from '../../lines/line';
import { type PanelDeps } from '../dependencies';

/** Whether a line is active but has no destination, so that its events are not forwarded. */
export const isSilent = (
  { destinations }: Pick<PanelDeps, 'destinations'>,
  { id, isActive }: Pick<Line, 'id' | 'isActive'>,
): boolean => isActive && !destinations.ofLine(id).length;
