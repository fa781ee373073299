import { type Line } from '../../lines/line';
import { type PanelDeps } from '../dependencies';

/** Whether an active line has no destination. */
export const isSilent = (
  { destinations }: Pick<PanelDeps, 'destinations'>,
  { id, isActive }: Pick<Line, 'id' | 'isActive'>,
): boolean => isActive && !destinations.ofLine(id).length;
