/**
 * Terminates TLS in front of a plain HTTP server, like a reverse proxy; bytes pass unchanged. Prints its
 * port.
 */
const { readFileSync } = require('node:fs');
const { connect } = require('node:net');
const { createServer } = require('node:tls');

const [target, keyFile, certificateFile] = process.argv.slice(2);
const { hostname, port } = new URL(target);
const server = createServer({ key: readFileSync(keyFile), cert: readFileSync(certificateFile) }, (client) => {
  const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
  client.setNoDelay(true);
  client.on('error', () => upstream.destroy());
  upstream.on('error', () => client.destroy());
  client.pipe(upstream).pipe(client);
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
