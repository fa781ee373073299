/**
 * Loaded into n8n before its own code (`NODE_OPTIONS=--require`): what it sends to https://graph.facebook.com goes to
 * BENCH_UPSTREAM instead, by plain HTTP. n8n's own WhatsApp node names that address in its code. Everything else is
 * as it was. Without TLS its sends cost less here than in life.
 */
const http = require('node:http');
const https = require('node:https');

const { request } = https;
const upstream = new URL(process.env.BENCH_UPSTREAM);

https.request = function (...args) {
  const options = args.find((arg) => arg && typeof arg === 'object' && !(arg instanceof URL)) ?? {};
  const hostname = options.hostname ?? options.host ?? (args[0] && new URL(String(args[0])).hostname);
  if (hostname !== 'graph.facebook.com') return request.apply(this, args);
  const { method, path, headers } = options;
  const listener = args.find((arg) => typeof arg === 'function');
  return http.request(
    { hostname: upstream.hostname, port: upstream.port, method, path, headers, agent: false },
    listener,
  );
};
