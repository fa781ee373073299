import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Add it to a process's `NODE_OPTIONS` to inspect the process. The address appears on standard error. */
export const INSPECTED = '--inspect=127.0.0.1:0';

/** Memory and resources of a process after garbage collection. */
export interface Holdings {
  /** MB of objects on the heap, and of buffers outside it. */
  heap: number;
  buffers: number;
  /** Open files and sockets. */
  descriptors: number;
  timers: number;
}

export interface Inspector {
  holdings(): Promise<Holdings>;
  close(): void;
}

/** @param log output of the process so far */
export async function inspect(pid: number, log: string): Promise<Inspector> {
  const address = /Debugger listening on (ws:\S+)/.exec(log)?.[1];
  if (!address) throw new Error('It does not say where it can be looked into.');
  const socket = new WebSocket(address);
  const asked = new Map<number, (result: unknown) => void>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    asked.get(id)?.(result);
    asked.delete(id);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true });
    socket.addEventListener('error', reject, { once: true });
  });
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise((resolve) => {
      asked.set(++last, resolve);
      socket.send(JSON.stringify({ id: last, method, params }));
    });

  return {
    async holdings() {
      // Repeats the collection, because finalizers release objects for the next one.
      for (let turn = 0; turn < 3; turn++) {
        await ask('HeapProfiler.collectGarbage');
        await wait(100);
      }
      const expression =
        'JSON.stringify({ ...process.memoryUsage(), timers: process.getActiveResourcesInfo().filter((one) => one === "Timeout").length })';
      const { result } = (await ask('Runtime.evaluate', { expression })) as { result: { value: string } };
      const { heapUsed, external, timers } = JSON.parse(result.value) as Record<
        'heapUsed' | 'external' | 'timers',
        number
      >;
      const megabytes = (bytes: number) => bytes / 1024 / 1024;
      return {
        heap: megabytes(heapUsed),
        buffers: megabytes(external),
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
        timers,
      };
    },
    close: () => socket.close(),
  };
}
