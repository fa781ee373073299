import { DATABASES } from '../../support/databases';
import {
  call,
  expectRefusal,
  lineOf,
  sceneOf,
  upstreamError,
  withoutAction,
  type Json,
  type Reply,
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

/** As upstream refuses a request for a field that it does not have. */
const unknownField = (name: string) => ({
  status: 400,
  body: {
    error: {
      message: `(#100) Tried accessing nonexisting field (${name}) on node type (WhatsAppMessageTemplate)`,
      type: 'OAuthException',
      code: 100,
      fbtrace_id: 'AbC',
    },
  },
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
    const scene = sceneOf(createUrl);
    const line = lineOf(scene);
    let waba: string;

    beforeAll(() => {
      scene.upstream.answers.templates = () => ({ body: { data: STORED } });
      waba = `1022901293403${line.phoneNumberId.slice(-2)}`;
    });

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
        { quality_score: { score: 'GREEN', date: 1 }, status: 'APPROVED', id: STORED[0]?.id },
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

    test.each(['?fields=name,colour', '?fields=name,colour&name=nothing'])(
      'refuse a field that there is none of as upstream does, with %s',
      async (query) => {
        scene.upstream.answers.templates = () => unknownField('colour');
        const reply = await list(query);
        expectRefusal(reply, 400, 'upstream_error', 100);
        expect(withoutAction(reply.text)).toContain(JSON.stringify(unknownField('colour').body.error));
      },
    );

    test.each(['?fields=name,Colour', '?fields=name,$x', '?fields=a/b', '?fields=__proto__'])(
      'refuse what is no field without asking for it: %s',
      async (query) => {
        expect(expectRefusal(await list(query), 400, 'invalid_query', 100)).toContain('parameter_format');
      },
    );

    test("take the line's phone number id and its own id as well", async () => {
      for (const id of [line.phoneNumberId, String(line.id)]) {
        const reply = await call(`${scene.gateway.url}/v22.0/${id}/message_templates?limit=2`, {
          headers: { authorization: `Bearer ${line.token}` },
        });
        expect([reply.status, names(reply)]).toEqual([200, ['alpha', 'alpha pt_BR']]);
        const { next } = reply.body.paging;
        expect(next.split('?')[0]).toBe(`${scene.gateway.url}/v22.0/${id}/message_templates`);
        const more = await call(next, { headers: { authorization: `Bearer ${line.token}` } });
        expect(names(more)).toEqual(['bravo', 'charlie']);
      }
      const other = await scene.line();
      for (const id of [other.phoneNumberId, String(other.id)])
        expectRefusal(
          await call(`${scene.gateway.url}/v22.0/${id}/message_templates`, {
            headers: { authorization: `Bearer ${line.token}` },
          }),
          401,
          'invalid_token',
          190,
        );
    });

    describe('beyond what is kept of them', () => {
      const SUMMARY = 'total_count,message_template_count,message_template_limit,are_translations_complete';
      /** As upstream answers it: a page, with its own cursors, and the access token in its links. */
      const page = (more: object = {}) => {
        const address = `https://graph.example.com/v22.0/${waba}/message_templates`;
        return {
          body: {
            data: [{ name: 'alpha', message_send_ttl_seconds: 600, id: '7' }],
            paging: {
              cursors: { before: 'MAZDZD', after: 'MjQZD' },
              previous: `${address}?access_token=upstream-access-token&before=MAZDZD`,
              next: `${address}?access_token=upstream-access-token&after=MjQZD`,
            },
            summary: {
              total_count: 3,
              message_template_count: 3,
              message_template_limit: 250,
              are_translations_complete: false,
            },
            ...more,
          },
        };
      };
      const asked = () => {
        const { url = '', headers } = scene.upstream.received.at(-1) ?? {};
        expect(headers?.authorization).toBe('Bearer upstream-access-token');
        return url;
      };

      test('upstream is asked for a summary, and for all else with it', async () => {
        scene.upstream.answers.templates = () => page();
        const filters = 'status=APPROVED%2CPAUSED&name_or_content=hello&quality_score=GREEN';
        const query = `fields=name,message_send_ttl_seconds&${filters}&summary=${encodeURIComponent(SUMMARY)}`;
        const reply = await call(
          `${scene.gateway.url}/v22.0/${line.phoneNumberId}/message_templates?${query}&limit=1&access_token=${line.token}`,
        );
        expect([reply.status, reply.body.data, reply.body.summary]).toEqual([
          200,
          page().body.data,
          page().body.summary,
        ]);
        const sent = new URL(asked(), scene.upstream.url);
        expect(sent.pathname).toBe(`/v22.0/${waba}/message_templates`);
        expect(Object.fromEntries(sent.searchParams)).toEqual({
          fields: 'name,message_send_ttl_seconds',
          status: 'APPROVED,PAUSED',
          name_or_content: 'hello',
          quality_score: 'GREEN',
          summary: SUMMARY,
          limit: '1',
        });
        // Links lead here, ask for the same again, and hold neither token.
        expect(reply.text).not.toContain('upstream-access-token');
        expect(reply.text).not.toContain(line.token);
        const next = new URL(reply.body.paging.next);
        expect(next.origin + next.pathname).toBe(
          `${scene.gateway.url}/v22.0/${line.phoneNumberId}/message_templates`,
        );
        scene.upstream.answers.templates = () => page({ paging: undefined });
        const last = await call(next.href, { headers: { authorization: `Bearer ${line.token}` } });
        expect([last.status, last.body.paging]).toEqual([200, undefined]);
        const again = new URL(asked(), scene.upstream.url).searchParams;
        expect([again.get('after'), again.get('summary'), again.get('limit')]).toEqual([
          'MjQZD',
          SUMMARY,
          '1',
        ]);
      });

      test('the access token is in no answer, wherever upstream writes it', async () => {
        scene.upstream.answers.templates = () =>
          page({ data: [{ id: '7', sub_category: 'a upstream-access-token b' }] });
        const reply = await list('?fields=sub_category');
        expect(reply.body.data).toEqual([{ id: '7', sub_category: 'a [access token] b' }]);
      });

      test('a field of those that are kept is left out where upstream has it no longer', async () => {
        scene.upstream.answers.templates = ({ url }) =>
          url.includes('parameter_format') ? unknownField('parameter_format') : page();
        expect((await list('?fields=name,parameter_format,sub_category')).status).toBe(200);
        expect(new URL(asked(), scene.upstream.url).searchParams.get('fields')).toBe('name,sub_category');
      });

      test('what upstream fails at is answered as ever, and nothing that is no page for a page', async () => {
        const ask = () => list('?fields=sub_category');
        scene.upstream.answers.templates = () => upstreamError(500, 2);
        expectRefusal(await ask(), 502, 'upstream_unavailable', 2);
        scene.upstream.answers.templates = (_request, response) => {
          response.destroy();
          return 'handled';
        };
        expectRefusal(await ask(), 503, 'upstream_unavailable', 2);
        scene.upstream.answers.templates = () => upstreamError(401, 190);
        expectRefusal(await ask(), 502, 'upstream_auth_failed', 190);
        scene.upstream.answers.templates = () => ({ body: { data: {} } });
        expectRefusal(await ask(), 503, 'upstream_unavailable', 2);
        const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
        scene.upstream.answers.templates = () => ({ body: `{"data": [{"id": "1", "deep": ${deep}}]}` });
        expectRefusal(await ask(), 503, 'upstream_unavailable', 2);
        // What is kept is answered all the same.
        expect((await list('?fields=name,quality_score')).status).toBe(200);
        const bare = await scene.line({ accessToken: null });
        const reply = await call(
          `${scene.gateway.url}/v22.0/${bare.phoneNumberId}/message_templates?summary=total_count`,
          { headers: { authorization: `Bearer ${bare.token}` } },
        );
        expectRefusal(reply, 409, 'line_not_configured', 131045);
      });

      test('upstream is asked as often as a business account allows, whichever of its lines asks', async () => {
        const wabaId = '702290129340398';
        const lines = [await scene.line({ wabaId }), await scene.line({ wabaId })];
        scene.upstream.answers.templates = () => page();
        const ask = (one: TestLine | undefined) =>
          call(`${scene.gateway.url}/v22.0/${wabaId}/message_templates?fields=sub_category`, {
            headers: { authorization: `Bearer ${one?.token}` },
          });
        for (let times = 0; times < 60; times++) expect((await ask(lines[times % 2])).status).toBe(200);
        const reply = await ask(lines[0]);
        expectRefusal(reply, 429, 'rate_limited', 130429);
        expect(reply.headers.get('retry-after')).toBe('5');
        expect(scene.upstream.asked('templates', wabaId)).toHaveLength(60);
        scene.clock.now += 5000;
        expect((await ask(lines[1])).status).toBe(200);
      });
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
