import { DATABASES } from '../../support/databases';
import {
  call,
  expectRefusal,
  startScene,
  upstreamError,
  type Json,
  type Reply,
  type Scene,
  type TestLine,
} from '../../support/scene';

const template = (name: string, more: object = {}) => ({
  id: `9${name.length}00${name.charCodeAt(0)}`,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  parameter_format: 'POSITIONAL',
  quality_score: { score: 'GREEN', date: 1 },
  components: [{ type: 'BODY', text: 'Hello {{1}}', example: { body_text: [['Ana']] } }],
  ...more,
});

const STORED = [
  template('delta'),
  template('alpha'),
  template('alpha', { language: 'pt_BR', id: '7', status: 'PAUSED' }),
  template('bravo', { status: 'REJECTED', category: 'MARKETING', quality_score: undefined }),
  template('charlie', { status: 'IN_APPEAL' }),
];

describe.each(DATABASES)(
  "a business account's templates in upstream's own shape on $name",
  ({ createUrl }) => {
    let scene: Scene;
    let line: TestLine;
    let waba: string;

    beforeAll(async () => {
      scene = await startScene(await createUrl());
      scene.upstream.answers.templates = () => ({ body: { data: STORED } });
      line = await scene.line();
      waba = `1022901293403${line.phoneNumberId.slice(-2)}`;
    });
    afterAll(() => scene.stop());

    const list = (query = '', token = line.token): Promise<Reply> =>
      call(`${scene.gateway.url}/v22.0/${waba}/message_templates${query}`, {
        headers: { authorization: `Bearer ${token}` },
      });
    const names = ({ body }: Reply) =>
      body.data.map(({ name, language }: Json) => (language === 'en_US' ? name : `${name} ${language}`));

    test('are those that upstream has, each as upstream tells it', async () => {
      const reply = await list();
      expect(names(reply)).toEqual(['alpha', 'alpha pt_BR', 'bravo', 'charlie', 'delta']);
      expect(reply.body.data[2]).toEqual({
        name: 'bravo',
        parameter_format: 'POSITIONAL',
        components: STORED[3]?.components,
        language: 'en_US',
        status: 'REJECTED',
        category: 'MARKETING',
        id: STORED[3]?.id,
      });
      expect(reply.body.paging).toEqual({
        cursors: { before: expect.any(String), after: expect.any(String) },
      });
      expect(Object.keys(reply.body)).toEqual(['data', 'paging']);
      // Stored by now: upstream is asked once.
      await list();
      expect(scene.upstream.asked('templates', waba)).toHaveLength(1);
    });

    test('come in pages, whose links lead here and hold no token', async () => {
      const seen: string[] = [];
      let query = `?fields=name,language&limit=2&access_token=${line.token}`;
      for (let pages = 0; pages < 3; pages++) {
        const reply = await list(query);
        seen.push(...names(reply));
        const { next } = reply.body.paging;
        expect(reply.text).not.toContain(line.token);
        if (pages === 2) {
          expect(next).toBeUndefined();
          const back = await list(new URL(reply.body.paging.previous).search);
          expect(names(back)).toEqual(['bravo', 'charlie']);
          expect(names(await list(`?before=${back.body.paging.cursors.before}&limit=100`))).toEqual([
            'alpha',
            'alpha pt_BR',
          ]);
          break;
        }
        expect(next.split('?')[0]).toBe(`${scene.gateway.url}/v22.0/${waba}/message_templates`);
        query = new URL(next).search;
        expect(Object.keys(reply.body.data[0])).toEqual(['name', 'language', 'id']);
      }
      expect(seen).toEqual(['alpha', 'alpha pt_BR', 'bravo', 'charlie', 'delta']);
    });

    test.each([
      ['?name=alpha', ['alpha', 'alpha pt_BR']],
      ['?name=LPH', ['alpha', 'alpha pt_BR']],
      ['?status=APPROVED', ['alpha', 'delta']],
      ['?status=approved,paused', ['alpha', 'alpha pt_BR', 'delta']],
      ['?status=["IN_APPEAL"]', ['charlie']],
      ['?language=pt_BR', ['alpha pt_BR']],
      ['?category=MARKETING&name=', ['bravo']],
      ['?limit=2&name=a&limit=3', ['alpha', 'alpha pt_BR', 'bravo']],
      ['?name=nothing', []],
    ])('are found by %s', async (query, expected) => {
      const reply = await list(query);
      expect(names(reply)).toEqual(expected);
      if (!expected.length) expect(reply.body).toEqual({ data: [] });
    });

    test('tell their quality where it is asked for', async () => {
      const { body } = await list('?fields=quality_score,status&name=delta');
      expect(body.data).toEqual([
        { quality_score: { score: 'GREEN' }, status: 'APPROVED', id: STORED[0]?.id },
      ]);
    });

    test.each([
      ['?limit=0', 'limit'],
      ['?limit=x', 'limit'],
      ['?after=x', 'Invalid cursors values'],
      ['?before=WzFd', 'Invalid cursors values'],
    ])('refuse %s', async (query, sentence) => {
      expect(expectRefusal(await list(query), 400, 'invalid_query', 100)).toContain(sentence);
    });

    test('refuse a field that there is none of, be the list empty or not', async () => {
      for (const query of ['?fields=name,colour', '?fields=name,colour&name=nothing']) {
        const reply = await list(query);
        expectRefusal(reply, 400, 'invalid_query', 100);
        expect(reply.body.error.message).toContain(
          'nonexisting field (colour) on node type (WhatsAppMessageTemplate)',
        );
      }
    });

    test('are an error where upstream never told them, not an empty list', async () => {
      const other = await scene.line();
      const account = `1022901293403${other.phoneNumberId.slice(-2)}`;
      const ask = () =>
        call(`${scene.gateway.url}/v22.0/${account}/message_templates`, {
          headers: { authorization: `Bearer ${other.token}` },
        });
      scene.upstream.answers.templates = () => upstreamError(500, 2);
      expectRefusal(await ask(), 502, 'upstream_unavailable', 2);
      expectRefusal(await ask(), 503, 'upstream_unavailable', 2);
      scene.clock.now += 61_000;
      scene.upstream.answers.templates = () => ({ body: { data: [] } });
      expect((await ask()).body).toEqual({ data: [] });
      expectRefusal(await list('', other.token), 401, 'invalid_token', 190);
    });
  },
);
