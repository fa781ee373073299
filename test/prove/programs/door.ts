/** Accepts connections in the network namespace for a server on a Unix socket outside it. */
import { connect, createServer } from 'node:net';

const [host, port, target = ''] = process.argv.slice(2);

const server = createServer((client) => {
  const inner = connect(target);
  client.pipe(inner).pipe(client);
  client.on('error', () => inner.destroy()).on('close', () => inner.destroy());
  inner.on('error', () => client.destroy()).on('close', () => client.destroy());
});
server.listen(Number(port), host, () => process.send?.('open'));
process.on('disconnect', () => process.exit());
