import { seeOther } from '../outcome';
import { viewerPage, type PanelRoute } from '../panel-route';
import { pageOfLine } from '../ui/frame/line-head';
import { chosenLine } from '../ui/line-field';

/** To the same page of another line; to those that may be meant where it is none or several. */
export const switchLinePages: PanelRoute[] = [
  viewerPage('/lines/switch', ({ deps, query }) => {
    const to = (query.get('to') ?? '').slice(0, 200);
    const { line } = chosenLine(deps.lines.all(), to);
    return seeOther(
      line
        ? pageOfLine(query.get('page') ?? '', line.id)
        : `/panel/lines?${new URLSearchParams({ q: to.trim() })}`,
    );
  }),
];
