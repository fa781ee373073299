import { type PanelRoute } from '../visit';

export const tokenPages: PanelRoute[] = [];
