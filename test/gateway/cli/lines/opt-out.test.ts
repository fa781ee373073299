import { call, imageTo, lineOf, sceneOf } from '../../../support/scene';
import { DATABASES } from '../../../support/databases';
import { command } from '../support';

describe.each(DATABASES)('the commands for opt-outs ($name)', ({ createUrl }) => {
  const scene = sceneOf(createUrl);
  const line = lineOf(scene);

  const run = (...words: string[]) => command(['opt-out', ...words], scene.gateway.env);
  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await run(...words);
    expect([code, stderr]).toEqual([0, '']);
    return stdout;
  };

  test('put a contact on the list that a running gateway follows, show it, and take it off', async () => {
    expect(await said('add', '1', '+1', '202', '555', '0147')).toBe(
      '+1 202 555 0147 gets no more messages: line 1 "Test line".\n',
    );
    const refused = await line.send(imageTo('12025550147'));
    expect(refused.body.error_code).toBe('contact_opted_out');
    expect(await said('list', '1')).toMatch(/^12025550147\tsince .*\tadded by hand\n$/);
    expect(JSON.parse(await said('list', '1', '--json'))).toMatchObject({
      contact: '12025550147',
      word: null,
    });
    expect(await said('remove', '1', '12025550147')).toContain('is off the opt-out list');
    expect(await said('remove', '1', '12025550147')).toContain('was not on the opt-out list');
    expect((await line.send(imageTo('12025550147'))).status).toBe(200);
  });

  test('set the words, and show them', async () => {
    const list = () =>
      call(`${scene.gateway.url}/v22.0/${line.phoneNumberId}/opt-outs`, {
        headers: { authorization: `Bearer ${line.token}` },
      });
    expect(await said('words', '1')).toContain('Set the usual ones');
    expect(await said('words', '1', '--usual')).toMatch(/^out\tSTOP, .*SAIR.*BAJA.*\nback\tSTART, /);
    expect((await list()).body.words.out).toContain('SAIR');
    expect(await said('words', '1', '--out', 'no more, STOP')).toMatch(/^out\tno more, STOP\nback\tSTART, /);
    expect((await list()).body.words).toMatchObject({ out: ['no more', 'STOP'] });
    await said('words', '1', '--none');
    expect((await list()).body.words).toEqual({ out: [], back: [] });
  });

  test.each([
    [['words', '1', '--usual', '--none'], 'Give one of'],
    [['words', '1', '--out', 'stop', '--back', 'STOP!'], 'stands for both'],
    [['add', '1'], 'Enter a phone number with its country code'],
    [['add', '1', 'Ana'], 'Enter a phone number with its country code'],
    [['list'], 'Which line?'],
    [['add'], 'Which line?'],
  ])('refuse %j in a sentence', async (words, sentence) => {
    const { code, stderr } = await run(...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(sentence)]);
  });
});
