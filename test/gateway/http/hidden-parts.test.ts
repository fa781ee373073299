import { hiddenInHeader, hiddenInUrl, hiding } from '../../../gateway/http/hidden-parts';

const URL_OF = 'https://n8n.example.com/webhook/9f3a-orders%2Fnew?key=s3cr3t&v=1';
const hide = hiding([
  ...hiddenInUrl(URL_OF),
  ...hiddenInHeader('Bearer of-the-receiver'),
  ...hiddenInHeader(`Basic ${Buffer.from('ana:pass"word').toString('base64')}`),
]);

test.each([
  ['Cannot POST /webhook/9f3a-orders%2Fnew?key=s3cr3t&v=1', 'Cannot POST …'],
  ['Cannot POST /webhook/9f3a-orders%2Fnew?key=s3cr3t&amp;v=1', 'Cannot POST …'],
  [
    'The requested webhook "POST 9f3a-orders/new" is not registered.',
    'The requested webhook "POST …" is not registered.',
  ],
  ['{"path":"\\/webhook\\/9f3a-orders%2fnew"}', '{"path":"…"}'],
  ['key s3cr3t is wrong', 'key … is wrong'],
  ['%2Fwebhook%2F9f3a-orders%252Fnew', '…'],
  ['bearer of-the-receiver', '…'],
  ['{"authorization":"Basic YW5hOnBhc3Mid29yZA=="}', '{"authorization":"…"}'],
  ['user ana, password pass"word', 'user ana, password …'],
  ['{"password":"pass\\"word"}', '{"password":"…"}'],
  ['n8n.example.com answers: no webhook v1', 'n8n.example.com answers: no webhook v1'],
])('of %j is shown %j', (text, shown) => {
  expect(hide(text)).toBe(shown);
});

test.each([
  ['{"path":"/cobran\\u00e7a-7"}', '{"path":"…"}'],
  ['{"path":"\\/cobran\\u00E7a-7"}', '{"path":"…"}'],
  ['No route for /cobrança-7', 'No route for …'],
  ['key is open sesame', 'key is …'],
  ["who is o'brien", 'who is …'],
  ['<p>o&#39;brien, o&#x27;brien, o&#039;brien</p>', '<p>…, …, …</p>'],
  ['<p>say &#34;friend&#34;</p>', '<p>…</p>'],
])('of %j is shown %j: what a receiver wrote in ASCII or HTML', (text, shown) => {
  const parts = [
    ...hiddenInUrl("https://example.com/cobran%C3%A7a-7?key=open+sesame&who=o'brien"),
    ...hiddenInHeader('say "friend"'),
  ];
  expect(hiding(parts)(text)).toBe(shown);
});

test.each([
  ['Go: {"path":"\\/in?tok=que%20ry\\u0026k=p~q-77"}', 'Go: {"path":"…"}'],
  ['a form: path=%2Fin%3Ftok%3Dque%2520ry%26k%3Dp%7Eq-77&x=1', 'a form: path=…&x=1'],
  ['Handlebars: k&#x3D;p~q-77', 'Handlebars: …'],
  ['Mustache: &#x2F;in?tok&#x3D;que ry&amp;k&#x3D;p~q-77', 'Mustache: …'],
  ['Go: <p>Bearer SEC&#43;RET/HDR=1</p>', 'Go: <p>…</p>'],
  [
    'JSON in JSON: "{\\"path\\":\\"\\\\/in?tok=que%20ry&k=p~q-77\\"}"',
    'JSON in JSON: "{\\"path\\":\\"…\\"}"',
  ],
  ['the token SEC+RET/HDR=1 is unknown', 'the token … is unknown'],
  ['each character: &#83;&#69;&#67;&#43;&#82;&#69;&#84;!', 'each character: …!'],
  [
    '100 % &amp; more: \\u0041 %C3%A7 %E9 + &#x110000; stay',
    '100 % &amp; more: \\u0041 %C3%A7 %E9 + &#x110000; stay',
  ],
])('of %j is shown %j: characters in whatever spelling', (text, shown) => {
  const parts = [
    ...hiddenInUrl('https://example.com/in?tok=que%20ry&k=p~q-77'),
    ...hiddenInHeader('Bearer SEC+RET/HDR=1'),
    'SEC+RET',
  ];
  expect(hiding(parts)(text)).toBe(shown);
});

test('nothing is hidden of an address without a path', () => {
  expect(hiding(hiddenInUrl('https://example.com/'))('Not found: / at example.com')).toBe(
    'Not found: / at example.com',
  );
});

test('an address of hundreds of parts costs no more than some of its length, and each part is hidden', () => {
  const url = `https://example.com/${'abcd/'.repeat(390)}secret-at-the-end`;
  const hidden = hiddenInUrl(url);
  expect(hidden.join('').length).toBeLessThan(25 * url.length);
  expect(hiding(hidden)('Cannot POST /abcd/secret-at-the-end')).not.toMatch(/abcd|secret/);
});
