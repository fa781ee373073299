/**
 * Shows the minimal cost of forwarding an event without risk of loss: like `forwarder.ts`, but event and
 * delivery are on disk before the answer, and the attempt is recorded afterwards. It parses nothing and never
 * retries. Prints its port.
 */
const { createHmac, timingSafeEqual } = require('node:crypto');
const { createServer } = require('node:http');
const { Pool } = require('undici');
const { recorder } = require('./recorder.cjs');

const [receiver, appSecret, file] = process.argv.slice(2);
const pool = new Pool(receiver, { connections: 64, pipelining: 1 });

const write = recorder(
  file,
  `create table events (id text primary key, identity text unique, body text) strict;
   create table deliveries (event_id text primary key, state text, finished_at text) strict, without rowid;
   create table attempts (event_id text, number integer, at text, status integer, primary key (event_id, number))
     strict, without rowid;`,
  {
    event: 'insert into events values (?, ?, ?) on conflict (identity) do nothing',
    delivery: `insert into deliveries values (?, 'pending', null)`,
    attempt: 'insert into attempts values (?, 1, ?, ?)',
    delivered: `update deliveries set state = 'delivered', finished_at = ? where event_id = ?`,
  },
);

let lastId = 0;

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks);
    const expected = createHmac('sha256', appSecret).update(body).digest();
    const given = Buffer.from(String(request.headers['x-hub-signature-256']).slice('sha256='.length), 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      response.writeHead(401).end();
      return;
    }
    const id = `evt_${++lastId}`;
    await write(['event', id, expected.toString('hex'), body.toString()], ['delivery', id]);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
    const answer = await pool.request({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    const now = new Date().toISOString();
    await write(['attempt', id, now, answer.statusCode], ['delivered', now, id]);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
