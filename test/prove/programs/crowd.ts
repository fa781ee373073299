/**
 * Runs many receivers of one behaviour in their own process. Reports its ports, and the counts so far on each
 * message.
 */
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

let manner = String(process.argv[3]);
let came = 0;
let mostOpen = 0;
const opens: number[] = [];

const open = (index: number): Promise<number> =>
  new Promise((resolve) => {
    opens[index] = 0;
    const server = createServer((request, response) => {
      opens[index]++;
      response.once('close', () => opens[index]--);
      request.resume().on('end', () => {
        came++;
        mostOpen = Math.max(mostOpen, opens[index]);
        if (manner !== 'hangs') response.writeHead(manner === 'refuses' ? 500 : 200).end();
      });
    });
    server.keepAliveTimeout = 60_000;
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

void Promise.all(Array.from({ length: Number(process.argv[2]) }, (_nothing, index) => open(index))).then(
  (ports) => {
    process.on('message', (given: { manner?: string }) => {
      manner = given.manner ?? manner;
      process.send?.({ came, mostOpen, withOpen: opens.filter((one) => one > 0).length });
    });
    process.send?.(ports);
  },
);
process.on('disconnect', () => process.exit());
