import { CONTACT, imageTo, phoneNumberNode, type Reply } from '../../support/scene';
import { onEachDatabase, upstreamTemplate, WITHOUT_WINDOW } from './support';

/** Answered with what is stored, or as upstream's failure; never as one of the gateway's own. */
function answered({ status, body }: Reply): void {
  expect(body.error_code).not.toBe('internal_error');
  expect([200, 502]).toContain(status);
}

onEachDatabase(
  '8. Refresh (templates and status): Upstream failing, by an answer of another shape: 200 with what is stored',
  (world) => {
    test.each<[string, object]>([
      ['a component without a type', { components: [{ text: 'Hello' }] }],
      ['a button without a type', { components: [{ type: 'BUTTONS', buttons: [{ text: 'Yes' }] }] }],
      ['components that are no list', { components: {} }],
      ['no name', { name: undefined }],
      ['no category', { category: undefined }],
    ])('templates: %s', async (_name, more) => {
      world.scene.upstream.answers.templates = () => ({ body: { data: [upstreamTemplate('odd', more)] } });
      answered(await world.line.get('/templates?refresh=1'));
      expect((await world.line.get('/templates')).status).toBe(200);
    });

    test.each<[string, object]>([
      ['a rating that is a number', { quality_rating: 7 }],
      ['a status that is a number', { status: 5 }],
    ])('status: %s', async (_name, node) => {
      world.scene.upstream.answers.phoneNumber = () => phoneNumberNode(node);
      answered(await world.line.get('/status?refresh=1'));
      expect((await world.line.get('/status')).status).toBe(200);
      expect((await world.line.send(imageTo(CONTACT))).status).toBe(200);
    });
  },
  { line: WITHOUT_WINDOW },
);
