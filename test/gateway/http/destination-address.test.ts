import { destinationRules } from '../../../gateway/http/destination-address';

const refused = (url: string, allowed: string[] = []): string | null =>
  destinationRules(allowed).refuseUrl(new URL(url));

/** Special addresses, each in spellings that the web knows. */
const NOT_PUBLIC = [
  // Loopback
  '127.0.0.1',
  '127.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '127.0.0.1.',
  '%31%32%37.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'foo.localhost',
  // This host, this network
  '0.0.0.0',
  '0',
  '0.1.2.3',
  '[::]',
  // Private
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0xc0a80001',
  '3232235521',
  '0300.0250.0.1',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[::ffff:10.0.0.1]',
  // Link local, and the metadata of clouds
  '169.254.169.254',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '168.63.129.16',
  '100.100.100.200',
  // Shared, protocol assignments, documentation, benchmarks, relays
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.0.170',
  '192.0.2.1',
  '198.51.100.1',
  '203.0.113.1',
  '198.18.0.1',
  '198.19.255.255',
  '192.88.99.1',
  '192.31.196.1',
  '192.52.193.1',
  '192.175.48.1',
  // Multicast, reserved, broadcast
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[ff02::1]',
  // IPv6 that embeds IPv4, or leads nowhere
  '[64:ff9b::7f00:1]',
  '[64:ff9b::a00:1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::]',
  '[2001::1]',
  '[2001:db8::1]',
  '[2001:10::1]',
  '[3fff::1]',
  '[100::1]',
  '[fec0::1]',
  '[4000::1]',
  '[2620:4f:8000::1]',
  '[::ffff:0:127.0.0.1]',
];

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '0x08080808',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '[2606:4700:4700::1111]',
  '[2a00:1450:4001::1]',
  '[::ffff:8.8.8.8]',
  'example.com',
  'localhost.example.com',
  'n8n',
];

describe('the address of a destination', () => {
  test.each(NOT_PUBLIC)('is refused when it is not public: %s', (host) => {
    for (const url of [`http://${host}/hook`, `https://${host}:8443/hook`]) {
      const reason = refused(url);
      expect(reason).toContain('is not a public address');
      expect(reason).toContain('GATEWAY_ALLOW_DESTINATIONS');
    }
  });

  test.each(PUBLIC)('is not refused when it is public, or a name: %s', (host) => {
    expect(refused(`https://${host}/hook`)).toBeNull();
    expect(refused(`http://${host}:8080/hook`)).toBeNull();
  });

  test('is refused for any scheme but http and https, and with a user name or password', () => {
    for (const url of ['ftp://example.com/', 'file:///etc/passwd', 'javascript:alert(1)', 'data:,x'])
      expect(refused(url)).toMatch(/starts with https:\/\/ or http:\/\//);
    expect(refused('https://user@example.com/')).toMatch(/no user name/);
    expect(refused('https://:word@example.com/')).toMatch(/no user name/);
  });
});

describe('the allow list', () => {
  test('allows a host by its name, whatever its case and final dot, and no other', () => {
    for (const allowed of [['localhost'], ['LocalHost'], ['localhost.']]) {
      expect(refused('http://localhost:5678/', allowed)).toBeNull();
      expect(refused('http://LOCALHOST./', allowed)).toBeNull();
      expect(refused('http://127.0.0.1/', allowed)).not.toBeNull();
      expect(refused('http://foo.localhost/', allowed)).not.toBeNull();
    }
  });

  test('allows an address in each of its spellings, and no other', () => {
    expect(refused('http://127.0.0.1/', ['127.0.0.1'])).toBeNull();
    expect(refused('http://2130706433/', ['127.0.0.1'])).toBeNull();
    expect(refused('http://[::ffff:127.0.0.1]/', ['127.0.0.1'])).toBeNull();
    expect(refused('http://localhost/', ['127.0.0.1'])).toBeNull();
    expect(refused('http://127.0.0.2/', ['127.0.0.1'])).not.toBeNull();
    expect(refused('http://[::1]/', ['127.0.0.1'])).not.toBeNull();
    for (const allowed of ['::1', '[::1]', '0:0:0:0:0:0:0:1'])
      expect(refused('http://[::1]:8080/', [allowed])).toBeNull();
  });

  test('allows a network, and nothing beside it', () => {
    const allowed = ['10.0.0.0/8', 'fd00::/8', '192.168.7.0/24'];
    for (const host of ['10.255.0.1', '[fd12::1]', '192.168.7.255', '[::ffff:10.0.0.1]'])
      expect(refused(`http://${host}/`, allowed)).toBeNull();
    for (const host of ['11.0.0.1', '127.0.0.1', '[fc00::1]', '192.168.8.0', '169.254.169.254'].slice(1))
      expect(refused(`http://${host}/`, allowed)).not.toBeNull();
  });

  test('lets localhost pass by a network that holds loopback', () => {
    expect(refused('http://localhost/', ['127.0.0.0/8'])).toBeNull();
    expect(refused('http://localhost/', ['10.0.0.0/8'])).not.toBeNull();
  });

  test('judges the address that was connected to by the host that was asked for', () => {
    const rules = destinationRules(['n8n.internal']);
    expect(rules.refuseAddress('172.18.0.3', 'n8n.internal')).toBeNull();
    expect(rules.refuseAddress('172.18.0.3', 'other.internal')).toBe(
      'other.internal (172.18.0.3) is not a public address. If it is a machine of yours, name it in GATEWAY_ALLOW_DESTINATIONS.',
    );
    expect(rules.refuseAddress('', 'other.internal')).not.toBeNull();
  });
});

describe('the look-up of a name', () => {
  const lookUp = (host: string, allowed: string[], all: boolean) =>
    new Promise((resolve) => {
      destinationRules(allowed).lookup(host, { all }, (error, address) => resolve(error ?? address));
    });

  test('fails for a name that leads to loopback, and says which setting allows it', async () => {
    for (const all of [true, false]) {
      const error = await lookUp('localhost', [], all);
      expect(error).toMatchObject({
        name: 'AddressRefused',
        message: expect.stringMatching(
          /^localhost \(.+\) is not a public address.*GATEWAY_ALLOW_DESTINATIONS/,
        ),
      });
    }
  });

  test('yields the addresses of a name that is allowed, in the form that is asked for', async () => {
    expect(await lookUp('localhost', ['localhost'], false)).toMatch(/^(127\.0\.0\.1|::1)$/);
    expect(await lookUp('localhost', ['localhost'], true)).toEqual(
      expect.arrayContaining([{ address: expect.any(String), family: expect.any(Number) }]),
    );
  });

  test('asks for a name once at a time, and lets no other name wait for it', async () => {
    const asked: string[] = [];
    let answerSlow = () => {};
    const rules = destinationRules([], (host, _options, done) => {
      asked.push(host);
      const answer = () => done(null, [{ address: '8.8.8.8', family: 4 }]);
      if (host === 'slow.example') answerSlow = answer;
      else answer();
    });
    const addressOf = (host: string) =>
      new Promise((resolve) => rules.lookup(host, {}, (error, address) => resolve(error ?? address)));
    const waiting = Array.from({ length: 20 }, () => addressOf('slow.example'));
    expect(await addressOf('quick.example')).toBe('8.8.8.8');
    expect(asked).toEqual(['slow.example', 'quick.example']);
    answerSlow();
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['8.8.8.8']));
    const again = addressOf('slow.example');
    answerSlow();
    expect(await again).toBe('8.8.8.8');
    expect(asked).toHaveLength(3);
  });

  test('fails for a name that does not exist, by the resolver’s own word', async () => {
    expect(await lookUp('does-not-exist.invalid', [], false)).toMatchObject({
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });
});
