import { seeOther } from '../outcome';
import { pageRoute, type PanelRoute } from '../panel-route';
import { pageOfLine } from '../ui/frame/line-head';
import { chosenLine } from '../ui/line-field';

/** Redirects to the same page of another line, or to a choice if no line or several lines match. */
export const switchLinePages: PanelRoute[] = [
  pageRoute('events.read', '/lines/switch', ({ deps, query }) => {
    const other = (query.get('other') ?? '').slice(0, 200);
    const { line } = chosenLine(deps.lines.all(), other);
    return seeOther(
      line
        ? pageOfLine(query.get('page') ?? '', line.id)
        : `/panel/lines?${new URLSearchParams({ q: other.trim() })}`,
    );
  }),
];
