import { all, byId } from './page';
import { patch } from './patch';

/** Windows that hold a connection. A browser allows six to a host. */
const MOST_CONNECTED = 4;

const isTyped = (): boolean =>
  [...all<HTMLInputElement>('input, textarea')].some((one) => one.value !== one.defaultValue);

/** Keeps the live parts of the page current. */
export function watch(): void {
  const parts = [...all('[data-live]')];
  if (!parts.length) return;
  /** The parts that the page has already, so that they are not sent again. */
  let shown = parts.map(({ id, dataset }) => `${id}.${dataset.live}`).join();
  const waiting = new Map<string, string>();
  let source: EventSource | null = null;
  // The windows that were looked at last hold a connection each; the others connect now and then.
  const windows = new BroadcastChannel('live');
  const me = Math.random();
  /** The windows that were looked at since this one was. */
  const later = new Set<number>();
  windows.onmessage = ({ data: { id, isGone } }: MessageEvent<{ id: number; isGone: boolean }>) => {
    later[isGone ? 'delete' : 'add'](id);
    follow();
  };
  function look(): void {
    later.clear();
    windows.postMessage({ id: me, isGone: document.hidden });
    follow();
  }
  function follow(): void {
    if (!document.hidden && later.size < MOST_CONNECTED) return void open();
    source?.close();
    source = null;
  }
  function open(): EventSource {
    if (source) return source;
    const { pathname, search } = location;
    const opened = new EventSource(`${pathname}${search || '?'}${shown && `&shown=${shown}`}`);
    source = opened;
    shown = '';
    opened.addEventListener('part', ({ data }: MessageEvent<string>) => {
      const { id, html } = JSON.parse(data) as { id: string; html: string };
      waiting.set(id, html);
      settle();
    });
    // Typed text stays: the gateway keeps it while the user logs in again.
    opened.addEventListener('end', () => {
      opened.close();
      if (!isTyped()) location.reload();
    });
    return opened;
  }
  function settle(): void {
    for (const [id, html] of waiting) {
      const part = byId(id);
      if (!part || patch(part, html)) waiting.delete(id);
    }
  }
  addEventListener('visibilitychange', look);
  addEventListener('focus', look);
  addEventListener('pagehide', () => windows.postMessage({ id: me, isGone: true }));
  look();
  setInterval(settle, 1000);
  setInterval(() => {
    if (document.hidden || source) return;
    open().onopen = () => setTimeout(follow, 2000);
  }, 10_000);
}
