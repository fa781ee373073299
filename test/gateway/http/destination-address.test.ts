import { createHttpClient } from '../../../gateway/http/http-client';
import { startPeer } from '../../support/http-peer';
import { setImmediate } from 'node:timers/promises';
import { faultOfUrl } from '../../../gateway/forwarding/destinations/destination-input';
import { destinationRules } from '../../../gateway/http/destination-address';
import { type Fact } from '../../../gateway/wording/facts';
import { say } from '../../../gateway/wording/say';
import { NOT_PUBLIC, PUBLIC, TRICKS } from '../../support/special-addresses';

const inEnglish = (fault: Fact | null): string | null => fault && say('en', fault);
const refused = (url: string, allowed: string[] = []): string | null =>
  inEnglish(destinationRules(allowed).refuseUrl(new URL(url)));

describe('the address of a destination', () => {
  test.each(NOT_PUBLIC)('is refused when it is not public: %s', (host) => {
    for (const url of [`http://${host}/hook`, `https://${host}:8443/hook`]) {
      const reason = refused(url);
      expect(reason).toContain('is not a public address');
      expect(reason).toContain('GATEWAY_ALLOW_DESTINATIONS');
    }
  });

  test.each(TRICKS)('is refused when it says one host and means another, or none: %s', (text) => {
    expect(faultOfUrl(destinationRules([]), text)).not.toBeNull();
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

  test('opens at a port what is named with it, and nothing else there', () => {
    const allowed = ['n8n:5678', 'localhost:5678', '10.0.0.0/8:443', '[fc00::1]:80', '192.168.7.7'];
    for (const url of [
      ...['http://localhost:5678/', 'https://10.1.2.3/', 'http://[fc00::1]/', 'http://192.168.7.7:9/'],
    ])
      expect([url, refused(url, allowed)]).toEqual([url, null]);
    for (const url of [
      ...['http://localhost/', 'http://localhost:5679/', 'http://10.1.2.3/', 'https://[fc00::1]/'],
    ])
      expect([url, refused(url, allowed)]).toEqual([url, expect.stringContaining('is not a public address')]);
    const { refuseAddress } = destinationRules(allowed);
    expect(refuseAddress('172.18.0.3', 'n8n', 5678)).toBeNull();
    expect(refuseAddress('172.18.0.3', 'n8n', 5432)).not.toBeNull();
  });

  test('connects by name to the port that is named, and to no other', async () => {
    const peers = await Promise.all([startPeer(), startPeer()]);
    const [open = '', shut = ''] = peers.map(({ url }) => `http://localhost:${new URL(url).port}/`);
    const rules = destinationRules([new URL(open).host]);
    const http = createHttpClient({ rules, maxAnswerBytes: 1024, brokenBody: 'ignored' });
    try {
      expect((await http.axios.get(open)).status).toBe(200);
      await expect(http.axios.get(shut)).rejects.toThrow(
        `is not a public address. Set GATEWAY_ALLOW_DESTINATIONS=${new URL(shut).host}, or`,
      );
      expect(peers[1]?.received).toEqual([]);
    } finally {
      await Promise.all([http.close(), ...peers.map((peer) => peer.close())]);
    }
  });

  test('judges the address that was connected to by the host that was asked for', () => {
    const rules = destinationRules(['n8n.internal']);
    expect(rules.refuseAddress('172.18.0.3', 'n8n.internal')).toBeNull();
    expect(inEnglish(rules.refuseAddress('172.18.0.3', 'other.internal'))).toBe(
      'other.internal (172.18.0.3) is not a public address. Set GATEWAY_ALLOW_DESTINATIONS=other.internal, or add this entry to its list, and restart the gateway.',
    );
    expect(rules.refuseAddress('', 'other.internal')).not.toBeNull();
  });
});

describe('the look-up of a name', () => {
  const lookUp = (host: string, allowed: string[], all: boolean) =>
    new Promise((resolve) => {
      destinationRules(allowed).lookupAt(null)(host, { all }, (error, address) => resolve(error ?? address));
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

  /** Servers that answer when they are told to. */
  const silent = () => {
    const unanswered: (() => void)[] = [];
    const rules = destinationRules([], (_host, _options, done) =>
      unanswered.push(() => done(null, [{ address: '8.8.8.8', family: 4 }])),
    );
    const addressOf = (host: string) =>
      new Promise((resolve) => rules.lookupAt(null)(host, {}, (error, address) => resolve(error ?? address)));
    /** Also those that are asked for once others are answered. */
    const answerAll = async () => {
      for (let answer = unanswered.shift(); answer; answer = unanswered.shift()) {
        answer();
        await setImmediate();
      }
    };
    return { unanswered, addressOf, answerAll };
  };

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
      new Promise((resolve) => rules.lookupAt(null)(host, {}, (error, address) => resolve(error ?? address)));
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

  test('leaves some of the names that may be asked for at once to the platform', async () => {
    const { unanswered, addressOf, answerAll } = silent();
    const found = Array.from({ length: 50 }, (_, number) => addressOf(`new-${number}.example`));
    expect(unanswered).toHaveLength(24);
    await answerAll();
    expect(new Set(await Promise.all(found))).toEqual(new Set(['8.8.8.8']));
  });

  test('lets no number of names whose servers are silent hold up the others', async () => {
    const { unanswered, addressOf, answerAll } = silent();
    const ask = (count: number) =>
      Array.from({ length: count }, (_, number) => addressOf(`slow-${number}.example`));
    let now = 0;
    const time = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const known = addressOf('known.example');
    await answerAll();
    await known;

    // They are new: one that is known is asked for beside them.
    const first = ask(24);
    const knownAgain = addressOf('known.example');
    expect(unanswered).toHaveLength(25);
    unanswered.pop()?.();
    expect(await knownAgain).toBe('8.8.8.8');
    now = 2000;
    await answerAll();
    await Promise.all(first);

    // They are known to be slow: so is one that is new.
    const again = ask(24);
    expect(unanswered).toHaveLength(8);
    const other = addressOf('new.example');
    expect(unanswered).toHaveLength(9);
    unanswered.pop()?.();
    expect(await other).toBe('8.8.8.8');

    // They answer in time, and are asked for as any other from then on.
    await answerAll();
    await Promise.all(again);
    void ask(24);
    expect(unanswered).toHaveLength(24);
    time.mockRestore();
  });

  test('fails for a name that does not exist, by the resolver’s own word', async () => {
    expect(await lookUp('does-not-exist.invalid', [], false)).toMatchObject({
      code: expect.stringMatching(/ENOTFOUND|EAI_AGAIN/),
    });
  });
});
