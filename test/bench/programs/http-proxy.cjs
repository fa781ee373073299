/** Shows the cost of a send through http-proxy, the most common proxy library of Node. Prints its port. */
const { createServer, Agent } = require('node:http');
const { createProxyServer } = require('http-proxy');

const [target] = process.argv.slice(2);
const proxy = createProxyServer({ target, agent: new Agent({ keepAlive: true, maxSockets: 64 }) });
const server = createServer((request, response) => proxy.web(request, response));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
