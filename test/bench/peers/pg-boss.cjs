/**
 * Shows what a user would build with pg-boss on PostgreSQL: a notification is a job before the answer, and workers post
 * it to the receiver, with retries. With `grouped` as last word, one statement inserts the jobs of all requests that
 * arrived during the previous insert; otherwise, each request calls `send`. Prints its port.
 *
 * Tuned in turn, by CPU time: two workers that fetch 64 jobs and settle each are best. 8 that fetch 16 take 1.4 times
 * as much. LISTEN/NOTIFY doubles the cost of `send`, because commits that notify wait for each other; so it is only
 * used for grouped inserts, and workers poll as often as pg-boss allows otherwise. 32 or 64 connections change nothing.
 */
const { PgBoss } = require('pg-boss');
const { delivery, serve } = require('./serve.cjs');

const [receiver, appSecret, databaseUrl, grouped] = process.argv.slice(2);
const isGrouped = grouped === 'grouped';
const QUEUE = 'events';

const boss = new PgBoss({ connectionString: databaseUrl, max: 16, useListenNotify: isGrouped });
boss.on('error', console.error);

/** Posts each job of a batch. @returns which of them are to be retried */
const work = (deliver) => (jobs) =>
  Promise.all(
    jobs.map(({ id, data }) =>
      deliver(data.body).then(
        () => ({ id, status: 'completed' }),
        (error) => ({ id, status: 'failed', output: { message: error.message } }),
      ),
    ),
  );

/** @returns a function that stores a job; one insert at a time takes all jobs that wait */
function groupedInserts() {
  let [waiting, isInserting] = [[], false];
  const insert = async () => {
    if (isInserting || !waiting.length) return;
    const group = waiting;
    [waiting, isInserting] = [[], true];
    await boss
      .insert(
        QUEUE,
        group.map(({ body }) => ({ data: { body } })),
      )
      .then(
        () => group.forEach(({ resolve }) => resolve()),
        (error) => group.forEach(({ reject }) => reject(error)),
      );
    isInserting = false;
    void insert();
  };
  return (body) =>
    new Promise((resolve, reject) => {
      waiting.push({ body, resolve, reject });
      void insert();
    });
}

async function start() {
  await boss.start();
  await boss.createQueue(QUEUE, { retryLimit: 16, retryDelay: 5, retryBackoff: true, notify: isGrouped });
  const options = {
    batchSize: 64,
    localConcurrency: 2,
    perJobResults: true,
    burstWhenBatchFull: true,
    pollingIntervalSeconds: 0.5,
    // For retries, of which no notification tells.
    notifyPollingIntervalSeconds: 2,
  };
  await boss.work(QUEUE, options, work(delivery(receiver)));
  serve(appSecret, isGrouped ? groupedInserts() : (body) => boss.send(QUEUE, { body }));
}

void start();
