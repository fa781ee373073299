import { all, byId } from './page';
import { patch } from './patch';

/** Windows with a permanent connection. Browsers allow six connections per host. */
const MOST_CONNECTED = 4;

const isTyped = (): boolean =>
  [...all<HTMLInputElement>('input, textarea')].some((one) => one.value !== one.defaultValue);

/** Keeps the live parts of the page current. */
export function watch(): void {
  const parts = [...all('[data-live]')];
  if (!parts.length) return;
  /** The parts on the page, so that the server doesn't send them again. */
  let shown = parts.map(({ id, dataset }) => `${id}.${dataset.live}`).join();
  const waiting = new Map<string, string>();
  let source: EventSource | null = null;
  // The most recently viewed windows stay connected. The others connect periodically.
  const windows = new BroadcastChannel('live');
  const me = Math.random();
  /** Windows that were viewed after this one. */
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
    // Don't reload over typed text: on submit, the gateway keeps the form during the log-in.
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
