/**
 * Shows the minimal cost of a recorded send: like `hand-made.ts`, but the send is on disk before the answer.
 * It does not validate the message. Prints its port.
 */
const { createServer } = require('node:http');
const { Pool } = require('undici');
const { recorder } = require('./recorder.cjs');

const [upstream, file] = process.argv.slice(2);
const pool = new Pool(upstream, { connections: 64, pipelining: 1 });

const write = recorder(
  file,
  'create table messages (wamid text primary key, contact text, type text, accepted_at text) strict, without rowid',
  { message: 'insert into messages values (?, ?, ?, ?) on conflict do nothing' },
);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    const body = Buffer.concat(chunks);
    const { to, type } = JSON.parse(body);
    const headers = { 'content-type': 'application/json', authorization: request.headers.authorization };
    const answer = await pool.request({ method: 'POST', path: request.url, headers, body });
    const accepted = await answer.body.json();
    await write(['message', accepted.messages[0].id, to, type, new Date().toISOString()]);
    const text = JSON.stringify(accepted);
    response
      .writeHead(answer.statusCode, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      })
      .end(text);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
