import { type Line } from '../../lines/line';
import { type PanelDeps } from '../dependencies';

/** Whether what comes in at a line in use goes nowhere. */
export const isSilent = (
  { destinations }: Pick<PanelDeps, 'destinations'>,
  { id, isActive }: Pick<Line, 'id' | 'isActive'>,
): boolean => isActive && !destinations.ofLine(id).length;
