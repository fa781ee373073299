const { createHmac, timingSafeEqual } = require('node:crypto');
const { createServer } = require('node:http');
const { Pool } = require('undici');

/** Connections to the receiver, and so the useful concurrency of a worker. */
const CONNECTIONS = 64;

/**
 * Accepts the platform's notifications: checks the signature, and answers once the job is stored. Prints its port.
 * @param put stores the body of a notification; resolves once it is on disk
 */
function serve(appSecret, put) {
  const server = createServer((request, response) => {
    const chunks = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const expected = createHmac('sha256', appSecret).update(body).digest();
      const given = Buffer.from(
        String(request.headers['x-hub-signature-256']).slice('sha256='.length),
        'hex',
      );
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
        response.writeHead(401).end();
        return;
      }
      try {
        await put(body.toString());
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"success":true}');
      } catch (error) {
        console.error(error);
        response.writeHead(503).end();
      }
    });
  });
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

/**
 * @returns a function that posts the body of a job to the receiver; it throws unless the answer is 2xx, so that the
 * queue retries the job
 */
function delivery(receiver) {
  const pool = new Pool(receiver, { connections: CONNECTIONS, pipelining: 1 });
  return async (body) => {
    const answer = await pool.request({
      method: 'POST',
      path: '/hook',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await answer.body.dump();
    if (answer.statusCode < 200 || answer.statusCode > 299) throw new Error(`Answered ${answer.statusCode}`);
  };
}

module.exports = { CONNECTIONS, delivery, serve };
