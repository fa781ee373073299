/**
 * Shows what a user would build with BullMQ on Redis: a notification is a job before the answer, and a worker posts it
 * to the receiver, with retries. Redis syncs its append-only file before it replies; the jobs that arrive together
 * share one sync, because ioredis does not wait for a reply before it sends the next command. Prints its port.
 *
 * Tuned in turn, by CPU time: a concurrency of 64 or more is best (16 and 32 take a tenth more). `addBulk` for the
 * requests that arrive together and ioredis' `enableAutoPipelining` change nothing.
 */
const { Queue, Worker } = require('bullmq');
const { CONNECTIONS, delivery, serve } = require('./serve.cjs');

const [receiver, appSecret, redisPort] = process.argv.slice(2);
// BullMQ requires the last option of its workers.
const connection = { host: '127.0.0.1', port: Number(redisPort), maxRetriesPerRequest: null };

const queue = new Queue('events', {
  connection,
  defaultJobOptions: {
    attempts: 17,
    backoff: { type: 'exponential', delay: 5000 },
    removeOnComplete: true,
  },
});
const deliver = delivery(receiver);
const worker = new Worker('events', (job) => deliver(job.data), { connection, concurrency: CONNECTIONS });
worker.on('error', console.error);

Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]).then(() =>
  serve(appSecret, (body) => queue.add('event', body)),
);
