import { message, onEachDatabase, passes, refusesField, WITHOUT_WINDOW } from './support';

const LINK = 'https://shop.example/order/7';
const x = (length: number) => 'x'.repeat(length);
const BODY = { body: { text: 'Look' } };

const ctaUrl = (parameters: object | undefined, more: object = {}) =>
  message('interactive', { type: 'cta_url', ...BODY, action: { name: 'cta_url', parameters }, ...more });
const locationRequest = (more: object = {}) =>
  message('interactive', {
    type: 'location_request_message',
    ...BODY,
    action: { name: 'send_location' },
    ...more,
  });
const FLOW = {
  flow_message_version: '3',
  flow_token: 'token',
  flow_id: '1037543291543636',
  flow_cta: 'Open',
  flow_action: 'navigate',
  flow_action_payload: { screen: 'WELCOME', data: { product: '1234' } },
};
const flow = (parameters: object | undefined, more: object = {}) =>
  message('interactive', { type: 'flow', ...BODY, action: { name: 'flow', parameters }, ...more });
const PARAMETERS = 'interactive.action.parameters';

onEachDatabase(
  'Request rules beyond the specification: interactive | Also cta_url (display_text ≤ 20, url), location_request_message, flow',
  (world) => {
    test.each<[string, object]>([
      ['cta_url', ctaUrl({ display_text: x(20), url: LINK })],
      [
        'cta_url with header and footer',
        ctaUrl(
          { display_text: 'Track', url: LINK },
          { header: { type: 'image', image: { link: LINK } }, footer: { text: x(60) } },
        ),
      ],
      ['location_request_message', locationRequest()],
      ['flow by id', flow(FLOW)],
      ['flow by name', flow({ ...FLOW, flow_id: undefined, flow_name: 'order_form' })],
    ])('%s passes', async (_row, body) => {
      expect(await passes(world, body)).toEqual(
        JSON.parse(JSON.stringify({ ...body, messaging_product: 'whatsapp' })),
      );
    });

    test.each<[string, object, string, 131008 | 131009]>([
      [
        'display_text of 21',
        ctaUrl({ display_text: x(21), url: LINK }),
        `${PARAMETERS}.display_text`,
        131009,
      ],
      ['no display_text', ctaUrl({ url: LINK }), `${PARAMETERS}.display_text`, 131008],
      ['no url', ctaUrl({ display_text: 'Track' }), `${PARAMETERS}.url`, 131008],
      [
        'url that is no web address',
        ctaUrl({ display_text: 'Track', url: 'shop' }),
        `${PARAMETERS}.url`,
        131009,
      ],
      ['no parameters', ctaUrl(undefined), PARAMETERS, 131008],
      [
        'cta_url without a body',
        ctaUrl({ display_text: 'Track', url: LINK }, { body: undefined }),
        'interactive.body',
        131008,
      ],
      [
        'cta_url with a body of 1025',
        ctaUrl({ display_text: 'Track', url: LINK }, { body: { text: x(1025) } }),
        'interactive.body.text',
        131009,
      ],
      [
        'location_request_message without a body',
        locationRequest({ body: undefined }),
        'interactive.body',
        131008,
      ],
      [
        'location_request_message without its action',
        locationRequest({ action: undefined }),
        'interactive.action',
        131008,
      ],
      [
        'location_request_message with another action',
        locationRequest({ action: { name: 'flow' } }),
        'interactive.action.name',
        131009,
      ],
      ['flow without parameters', flow(undefined), PARAMETERS, 131008],
      ['flow without flow_cta', flow({ ...FLOW, flow_cta: undefined }), `${PARAMETERS}.flow_cta`, 131008],
      [
        'flow with a footer of 61',
        flow(FLOW, { footer: { text: x(61) } }),
        'interactive.footer.text',
        131009,
      ],
    ])('%s is refused', async (_row, body, path, code) => {
      await refusesField(world, body, path, code);
    });
  },
  { line: WITHOUT_WINDOW },
);
