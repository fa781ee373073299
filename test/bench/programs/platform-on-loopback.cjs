/**
 * Loaded into n8n before its own code (`NODE_OPTIONS=--require`). Redirects requests to
 * https://graph.facebook.com to BENCH_UPSTREAM, with TLS if that URL uses https, because n8n's own WhatsApp
 * node has the address in its code. Other requests are unchanged.
 */
const http = require('node:http');
const https = require('node:https');

const { request } = https;
const upstream = new URL(process.env.BENCH_UPSTREAM);

https.request = function (...args) {
  const options = args.find((arg) => arg && typeof arg === 'object' && !(arg instanceof URL)) ?? {};
  const hostname = options.hostname ?? options.host ?? (args[0] && new URL(String(args[0])).hostname);
  if (hostname !== 'graph.facebook.com') return request.apply(this, args);
  const { method, path, headers, agent } = options;
  const listener = args.find((arg) => typeof arg === 'function');
  const { hostname: host, port } = upstream;
  return upstream.protocol === 'https:'
    ? request.call(this, { host, port, method, path, headers, agent }, listener)
    : http.request({ host, port, method, path, headers, agent: false }, listener);
};
