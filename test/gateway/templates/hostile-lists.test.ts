import { DATABASES } from '../../support/databases';
import { CONTACT, freshLineOf, sceneOf, type Json } from '../../support/scene';

const SECOND = 1000;

const upstreamTemplate = (name: string, more: object = {}) => ({
  id: `id of ${name}`,
  name,
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hello {{1}}' }],
  ...more,
});

/** A list in a list in a list … */
const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe.each(DATABASES)(
  'a list of templates as the platform should never answer it ($name)',
  ({ createUrl }) => {
    const scene = sceneOf(createUrl);
    const line = freshLineOf(scene);

    const asked = () =>
      scene.upstream.received.filter(({ url }) =>
        url.includes(`${line.phoneNumberId.slice(-2)}/message_templates`),
      );
    const pages = (page: (number: number) => object) => {
      scene.upstream.answers.templates = ({ url }) => {
        const after = new URL(url, 'http://upstream').searchParams.get('after');
        return { body: page(Number(after ?? 0)) };
      };
    };
    const answering = (...templates: unknown[]) => pages(() => ({ data: templates }));
    const refreshed = async (performed = true): Promise<Json[]> => {
      const { status, body } = await line.get('/templates?refresh=1&limit=500');
      expect([status, body.refresh]).toEqual([
        200,
        performed ? { requested: true, performed } : { requested: true, performed, reason: 'upstream_error' },
      ]);
      scene.clock.now += 60 * SECOND;
      return body.data.filter((one: { is_starter: boolean }) => !one.is_starter);
    };
    const names = (data: Json[]) => data.map(({ name }) => name);
    const more = (after: unknown, ...templates: unknown[]) => ({
      data: templates,
      paging: { cursors: { after }, next: 'https://graph.example/next' },
    });

    describe('in pages', () => {
      beforeEach(async () => {
        answering(upstreamTemplate('before'));
        await refreshed();
      });

      test('that lead back to the page before is given up, and what was stored stays', async () => {
        pages((number) => more(String(number === 2 ? 1 : number + 1), upstreamTemplate(`t${number}`)));
        expect(names(await refreshed(false))).toEqual(['before']);
        expect(asked()).toHaveLength(4);
      });

      test('that repeat themselves under ever new cursors is given up', async () => {
        pages((number) => more(String(number + 1), upstreamTemplate('same')));
        expect(names(await refreshed(false))).toEqual(['before']);
        expect(asked()).toHaveLength(3);
      });

      test.each([
        ['no cursor', undefined],
        ['an empty cursor', ''],
        ['a cursor that is a number', 7],
        ['a cursor that is null', null],
      ])('of which one leads on with %s is given up', async (_what, cursor) => {
        pages(() => more(cursor, upstreamTemplate('one')));
        expect(names(await refreshed(false))).toEqual(['before']);
      });

      test.each([
        ['paging null', { paging: null }],
        ['paging of no sense', { paging: 'next' }],
        ['cursors null', { paging: { cursors: null } }],
      ])('of which the last has %s is taken', async (_what, paging) => {
        pages(() => ({ data: [upstreamTemplate('one')], ...paging }));
        expect(names(await refreshed())).toEqual(['one']);
      });

      test('that shift while they are read, because one was deleted, loses none that is still there', async () => {
        let list = ['a', 'b', 'c', 'd'].map((name) => upstreamTemplate(name));
        // Cursors are places in the list, two a page; after the first page its first template is deleted.
        const twoAPage = (deleteAfterFirst: boolean) =>
          pages((from) => {
            const data = list.slice(from, from + 2);
            const isLast = from + 2 >= list.length;
            if (deleteAfterFirst && from === 0) {
              list = list.slice(1);
              deleteAfterFirst = false;
            }
            return isLast ? { data } : more(String(from + 2), ...data);
          });
        twoAPage(false);
        expect(names(await refreshed())).toEqual(['a', 'b', 'c', 'd']);
        twoAPage(true);
        expect(names(await refreshed())).toEqual(expect.arrayContaining(['b', 'c', 'd']));
        twoAPage(false);
        expect(names(await refreshed())).toEqual(['b', 'c', 'd']);
      });
    });

    test('has those without a name or a language left out, and says so', async () => {
      answering(
        null,
        7,
        'x',
        [],
        {},
        upstreamTemplate('', {}),
        upstreamTemplate('no_language', { language: null }),
        upstreamTemplate('x'.repeat(5000)),
        { ...upstreamTemplate('x'), name: { toString: 5 } },
        upstreamTemplate('good'),
      );
      expect(names(await refreshed())).toEqual(['good']);
      expect(scene.gateway.logged()).toMatch(
        /"templates":9,"msg":"the platform listed templates without a name/,
      );
    });

    test('has every field that cannot be read told as if it were not there', async () => {
      answering(
        {
          id: null,
          name: 'bare',
          language: 'en_US',
          category: 7.5,
          status: null,
          quality_score: 'GREEN',
          parameter_format: {},
          components: 'none',
        },
        {
          id: 17,
          name: 'odd',
          language: 'en_US',
          category: null,
          status: ['APPROVED'],
          quality_score: { score: { a: 1 } },
          parameter_format: null,
          components: { type: 'BODY' },
        },
      );
      expect(await refreshed()).toEqual([
        expect.objectContaining({
          name: 'bare',
          id: null,
          category: '7.5',
          status: 'pending',
          platform_status: null,
          quality_score: 'HIGH',
          parameter_format: 'POSITIONAL',
          components: [],
          header: null,
          body: '',
          footer: null,
          buttons: [],
          variables: 0,
        }),
        expect.objectContaining({
          name: 'odd',
          id: '17',
          category: '',
          status: 'pending',
          platform_status: null,
          quality_score: 'UNKNOWN',
          components: [],
        }),
      ]);
    });

    test('has what can be read of its components told, buttons in their places', async () => {
      const body = { type: 'body', text: 'Hi {{name}}', example: { a: [1] } };
      answering(
        upstreamTemplate('mixed', {
          components: [
            null,
            5,
            [],
            { text: 'no type' },
            { type: 7 },
            { type: 'HEADER', format: 9, text: { a: 1 } },
            body,
            { type: 'FOOTER', text: ['x'] },
            {
              type: 'BUTTONS',
              buttons: [
                null,
                'x',
                { type: 5, text: 7, url: 8, phone_number: {} },
                { type: 'URL', url: 'https://a.example/{{1}}' },
              ],
            },
          ],
        }),
        upstreamTemplate('no_buttons', { components: [{ type: 'BUTTONS', buttons: { length: 3 } }] }),
      );
      const nothing = { type: 'unknown', text: '', variables: 0 };
      const [mixed, noButtons] = await refreshed();
      expect(mixed).toMatchObject({
        header: { type: 'text', text: '' },
        body: 'Hi {{name}}',
        footer: null,
        variable_names: ['name'],
        parameter_format: 'NAMED',
        buttons: [
          { index: 0, ...nothing },
          { index: 1, ...nothing },
          { index: 2, ...nothing },
          { index: 3, type: 'url', text: '', url: 'https://a.example/{{1}}', variables: 1 },
        ],
      });
      expect(mixed.components).toHaveLength(4);
      expect(mixed.components).toContainEqual(body);
      expect(noButtons.buttons).toEqual([]);
    });

    test('that is huge, or nested without end, breaks nothing', async () => {
      const text = '{{a}} {{ '.repeat(100_000) + ' '.repeat(100_000) + '{{1}}';
      const deep = JSON.stringify(upstreamTemplate('deep')).replace(
        '"components":[',
        `"components":[{"type":"HEADER","example":${nested(50_000)}},`,
      );
      scene.upstream.answers.templates = () => ({
        body: `{"data":[${deep},${JSON.stringify(upstreamTemplate('huge', { components: [{ type: 'BODY', text }] }))}]}`,
      });
      const [deepOne, hugeOne] = await refreshed();
      expect(deepOne).toMatchObject({ name: 'deep', header: null, body: 'Hello {{1}}', variables: 1 });
      expect(hugeOne).toMatchObject({ name: 'huge', body: text, variable_names: ['a', '1'] });
    });

    test('with characters that no database takes is stored without them', async () => {
      answering(
        upstreamTemplate('nul\0l', {
          status: 'APP\0ROVED',
          category: '\0',
          components: [{ type: 'BODY', text: 'a\0b \ud800' }],
        }),
        upstreamTemplate('half\ud800'),
        upstreamTemplate('half\udc00'),
      );
      const data = await refreshed();
      expect(names(data)).toEqual(['half\ufffd', 'null']);
      expect(data[1]).toMatchObject({ platform_status: 'APPROVED', category: '', body: 'a\0b \ud800' });
    });

    test('keeps apart names and languages that are the same when written one after the other', async () => {
      answering(upstreamTemplate('a', { language: 'b c' }), upstreamTemplate('a b', { language: 'c' }));
      expect(await refreshed()).toHaveLength(2);
    });

    test('and a send with a template of it is judged, not broken', async () => {
      answering(
        upstreamTemplate('odd', {
          components: [
            { type: 'BODY', text: 7 },
            { type: 'BUTTONS', buttons: [null] },
          ],
        }),
      );
      await refreshed();
      const template = { name: 'odd', language: { code: 'en_US' }, components: [] };
      const { status } = await line.send({ to: CONTACT, type: 'template', template });
      expect(status).toBe(200);
    });

    test('logs a status that is not known once, however many templates and lines have it', async () => {
      answering(upstreamTemplate('a', { status: 'NEWSTATE' }), upstreamTemplate('b', { status: 'NEWSTATE' }));
      expect((await refreshed()).map(({ status }) => status)).toEqual(['pending', 'pending']);
      await refreshed();
      const other = await scene.line();
      await other.get('/templates?refresh=1');
      expect(scene.gateway.logged().split('"word":"NEWSTATE"')).toHaveLength(2);
    });

    test('without a field that the platform no longer knows is asked for without it, from then on', async () => {
      scene.upstream.answers.templates = ({ url }) => {
        const fields = new URL(url, 'http://upstream').searchParams.get('fields') ?? '';
        const message = '(#100) Tried accessing nonexisting field (quality_score) on node type (X)';
        return fields.includes('quality_score')
          ? { status: 400, body: { error: { message, type: 'OAuthException', code: 100 } } }
          : { body: { data: [upstreamTemplate('one')] } };
      };
      expect(names(await refreshed())).toEqual(['one']);
      expect(names(await refreshed())).toEqual(['one']);
      expect(asked()).toHaveLength(3);
    });
  },
);
