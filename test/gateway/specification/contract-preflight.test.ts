import { upstreamError, type Json } from '../../support/scene';
import {
  askedForTemplates,
  onEachDatabase,
  passes,
  refuses,
  SECOND,
  synced,
  template,
  upstreamTemplate,
  values,
} from './support';

const BODY = { type: 'BODY', text: 'Hello' };
const HEADER = { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' };
const URL_BUTTON = {
  type: 'BUTTONS',
  buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }],
};
const track = (...texts: string[]) => ({ ...values('button', ...texts), sub_type: 'url', index: 0 });
const named = (...names: string[]) => ({
  type: 'body',
  parameters: names.map((name) => ({ type: 'text', parameter_name: name, text: 'x' })),
});

onEachDatabase('4. Send: Template pre-flight', (world) => {
  test.each<[string, number]>([
    ['PENDING', 132001],
    ['REJECTED', 132001],
    ['ARCHIVED', 132001],
    ['PAUSED', 132015],
    ['DISABLED', 132016],
  ])('not approved → 400. %s %i', async (status, code) => {
    await synced(world, upstreamTemplate('greeting', { status, components: [BODY] }));
    refuses(world, await world.line.send(template('greeting')), 400, 'template_not_approved', code);
  });

  test.each<[string, object[], object[], object[], string]>([
    [
      'number of parameters in header',
      [HEADER, BODY],
      [],
      [values('header', '7')],
      'its header needs 1 value ({{1}}); 0 came.',
    ],
    [
      'a parameter in header that is a file',
      [{ type: 'HEADER', format: 'IMAGE' }, BODY],
      [values('header', '7')],
      [{ type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] }],
      'its header needs one parameter of type "image"; text came.',
    ],
    [
      'number of parameters in body (too few)',
      [{ type: 'BODY', text: 'Hello {{1}}, order {{2}}' }],
      [values('body', 'Ana')],
      [values('body', 'Ana', '7')],
      'its body needs 2 values ({{1}}, {{2}}); 1 came.',
    ],
    [
      'number of parameters in body (too many)',
      [BODY],
      [values('body', 'Ana')],
      [],
      'its body needs no values; 1 came.',
    ],
    [
      'names of parameters in body',
      [{ type: 'BODY', text: 'Hello {{first_name}}, order {{id}}' }],
      [named('first_name', 'order')],
      [named('id', 'first_name')],
      'its body needs a parameter with "parameter_name" "id".',
    ],
    [
      'number of parameters in a button',
      [BODY, URL_BUTTON],
      [track()],
      [track('a')],
      'its button 0 ("Track") needs 1 value; 0 came.',
    ],
    [
      'a button that is not there',
      [BODY],
      [track('a')],
      [],
      'it has no buttons, so there is none with index 0 (the first is 0).',
    ],
  ])(
    'wrong number or names of parameters in header, body or a button → 400 naming the component, what it needs and what came. %s',
    async (_row, components, wrong, right, sentence) => {
      const parameter_format = JSON.stringify(components).includes('first_name') ? 'NAMED' : 'POSITIONAL';
      await synced(world, upstreamTemplate('greeting', { components, parameter_format }));
      const reply = await world.line.send(template('greeting', wrong));
      expect(refuses(world, reply, 400, 'template_params_mismatch', 132000)).toBe(
        `Template "greeting" (en_US): ${sentence}`,
      );
      await passes(world, template('greeting', right));
    },
  );

  test('When the line’s template cache holds (name, language): another language is another template', async () => {
    await synced(world, upstreamTemplate('greeting'));
    await passes(world, template('greeting', [], 'pt_BR'));
    refuses(
      world,
      await world.line.send(template('greeting', [])),
      400,
      'template_params_mismatch',
      132000,
      1,
    );
  });

  test('When the cache does not hold it: refresh once', async () => {
    await synced(world);
    world.scene.clock.now += 60 * SECOND;
    world.scene.upstream.answers.templates = () => ({ body: { data: [upstreamTemplate('new')] } });
    refuses(world, await world.line.send(template('new')), 400, 'template_params_mismatch', 132000);
    expect(askedForTemplates(world)).toHaveLength(2);
  });

  test('(inside the cooldown rule)', async () => {
    await synced(world);
    world.scene.clock.now += 60 * SECOND - 1;
    await passes(world, template('new'));
    expect(askedForTemplates(world)).toHaveLength(1);
  });

  test('else forward and let upstream judge.', async () => {
    await synced(world);
    world.scene.upstream.answers.messages = () => upstreamError(404, 132001);
    refuses(world, await world.line.send(template('nowhere')), 404, 'template_not_found', 132001, 1);
  });

  test('else forward, where upstream’s list cannot be had', async () => {
    world.scene.upstream.answers.templates = () => upstreamError(500, 2);
    await passes(world, template('nowhere'));
  });

  test('The starter templates, which upstream does not have, are left to upstream', async () => {
    const { data } = await synced(world);
    const starter = data.find(({ is_starter: isStarter }: Json) => isStarter);
    await passes(world, template(starter.name, [], starter.language));
  });
});
