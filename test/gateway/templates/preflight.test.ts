import { type TemplateMessage } from '../../../gateway/cloud-api/validate/message-request';
import { type TemplateComponent } from '../../../gateway/cloud-api/template';
import { type Refusal } from '../../../gateway/errors';
import { preflight } from '../../../gateway/templates/preflight';
import { templateRecord, type TemplateRecord } from '../../../gateway/templates/template-record';

const known = (components: TemplateComponent[], status = 'APPROVED', format = 'POSITIONAL'): TemplateRecord =>
  templateRecord({
    line_id: 1,
    name: 'order_update',
    language: 'en_US',
    upstream_id: '1',
    category: 'UTILITY',
    category_before: null,
    upstream_status: status,
    quality_score: null,
    rejected_reason: null,
    quality_node: null,
    parameter_format: format,
    components: JSON.stringify(components),
    is_starter: 0,
  });

type Given = NonNullable<TemplateMessage['components']>;
const given = (components: unknown): TemplateMessage => ({
  name: 'order_update',
  language: { code: 'en_US' },
  components: components as Given,
});
const texts = (...values: string[]) => values.map((text) => ({ type: 'text', text }));

/** The refusal's HTTP status, word, integer and sentence, without the template's name in front. */
function told(refused: Refusal | null) {
  if (!refused || !('error_data' in refused.error)) return null;
  expect(refused.status).toBe(400);
  const details = refused.error.error_data?.details ?? '';
  expect(details).toMatch(/^Template "order_update" \(en_US\)/);
  return [
    refused.errorCode,
    refused.error.code,
    details.replace(/^Template "order_update" \(en_US\):? /, ''),
  ];
}
const mismatch = (sentence: string) => ['template_params_mismatch', 132000, sentence];

describe('a template that is not approved → 400', () => {
  test.each([
    [
      'PENDING',
      132001,
      "cannot be sent: the platform's status for it is PENDING. Choose an approved template.",
    ],
    [
      'REJECTED',
      132001,
      "cannot be sent: the platform's status for it is REJECTED. Choose an approved template.",
    ],
    [
      'PAUSED',
      132015,
      'is paused by the platform because of its low quality. Use another template, or wait.',
    ],
    [
      'DISABLED',
      132016,
      "cannot be sent: the platform's status for it is DISABLED. Choose an approved template.",
    ],
  ])('is refused, whatever its parameters: %s', (status, code, sentence) => {
    expect(told(preflight(given([]), known([{ type: 'BODY', text: '{{1}}' }], status)))).toEqual([
      'template_not_approved',
      code,
      sentence,
    ]);
  });

  test.each(['APPROVED', 'FLAGGED', 'REINSTATED'])('does not mean %s', (status) => {
    expect(preflight(given([]), known([{ type: 'BODY', text: 'Hi' }], status))).toBeNull();
  });
});

describe('the body', () => {
  const two = known([{ type: 'BODY', text: 'Hello {{1}}, order {{2}}' }]);
  const none = known([{ type: 'BODY', text: 'Hello' }]);
  const named = known([{ type: 'BODY', text: 'Hello {{name}}, order {{id}}' }], 'APPROVED', 'NAMED');

  test('wrong number or names of parameters in header, body or a button → 400 naming the component, what it needs and what came', () => {
    expect(preflight(given([{ type: 'body', parameters: texts('a', 'b') }]), two)).toBeNull();
    expect(preflight(given([{ type: 'BODY', parameters: texts('a', 'b') }]), two)).toBeNull();
    expect(told(preflight(given([{ type: 'body', parameters: texts('a') }]), two))).toEqual(
      mismatch('its body needs 2 values ({{1}}, {{2}}); 1 came.'),
    );
    expect(told(preflight(given([{ type: 'body', parameters: texts('a', 'b', 'c') }]), two))).toEqual(
      mismatch('its body needs 2 values ({{1}}, {{2}}); 3 came.'),
    );
    for (const empty of [null, undefined, [], [{ type: 'body' }], [{ type: 'body', parameters: null }]])
      expect(told(preflight(given(empty), two))).toEqual(
        mismatch('its body needs 2 values ({{1}}, {{2}}); 0 came.'),
      );
  });

  test('takes none where it has no variable', () => {
    expect(preflight(given([]), none)).toBeNull();
    expect(preflight(given([{ type: 'body', parameters: [] }]), none)).toBeNull();
    expect(told(preflight(given([{ type: 'body', parameters: texts('a') }]), none))).toEqual(
      mismatch('its body needs no values; 1 came.'),
    );
  });

  test('needs the names of its variables where they have names, in any order', () => {
    const values = (...names: string[]) =>
      given([
        {
          type: 'body',
          parameters: names.map((name) => ({ type: 'text', parameter_name: name, text: 'a' })),
        },
      ]);
    expect(preflight(values('id', 'name'), named)).toBeNull();
    expect(told(preflight(values('id', 'nam'), named))).toEqual(
      mismatch('its body needs a parameter with "parameter_name" "name".'),
    );
    expect(told(preflight(given([{ type: 'body', parameters: texts('a', 'b') }]), named))).toEqual(
      mismatch('its body needs a parameter with "parameter_name" "name", "id".'),
    );
  });
});

describe('the header', () => {
  const body = { type: 'BODY', text: 'Hi' };

  test('of text needs its values', () => {
    const record = known([{ type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' }, body]);
    expect(preflight(given([{ type: 'header', parameters: texts('7') }]), record)).toBeNull();
    expect(told(preflight(given([]), record))).toEqual(mismatch('its header needs 1 value ({{1}}); 0 came.'));
  });

  test.each(['IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'])(
    'of %s needs one parameter of that type',
    (format) => {
      const type = format.toLowerCase();
      const record = known([{ type: 'HEADER', format }, body]);
      expect(preflight(given([{ type: 'header', parameters: [{ type, [type]: {} }] }]), record)).toBeNull();
      expect(preflight(given([{ type: 'HEADER', parameters: [{ type: format }] }]), record)).toBeNull();
      expect(told(preflight(given([]), record))).toEqual(
        mismatch(`its header needs one parameter of type "${type}"; none came.`),
      );
      expect(told(preflight(given([{ type: 'header', parameters: texts('a') }]), record))).toEqual(
        mismatch(`its header needs one parameter of type "${type}"; text came.`),
      );
    },
  );

  test('that is not there takes none', () => {
    expect(told(preflight(given([{ type: 'header', parameters: texts('a') }]), known([body])))).toEqual(
      mismatch('its header needs no values; 1 came.'),
    );
  });
});

describe('a button', () => {
  const record = known([
    { type: 'BODY', text: 'Hi' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Thanks' },
        { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
        { type: 'URL', text: 'Shop', url: 'https://example.com/' },
        { type: 'FLOW', text: 'Form' },
      ],
    },
  ]);
  const button = (index: number | string, parameters: unknown[] = texts('a')) => ({
    type: 'button',
    sub_type: 'url',
    index,
    parameters,
  });

  test('with a variable in its address needs the value', () => {
    expect(preflight(given([button('1')]), record)).toBeNull();
    expect(preflight(given([button(1)]), record)).toBeNull();
    expect(told(preflight(given([]), record))).toEqual(
      mismatch('its button 1 ("Track") needs 1 value; 0 came.'),
    );
    expect(told(preflight(given([button(1, [])]), record))).toEqual(
      mismatch('its button 1 ("Track") needs 1 value; 0 came.'),
    );
    expect(told(preflight(given([button(1), button(2)]), record))).toEqual(
      mismatch('its button 2 ("Shop") needs no values; 1 came.'),
    );
  });

  test('has the values of all components that name it', () => {
    expect(preflight(given([button(1), button('1', [])]), record)).toBeNull();
    expect(preflight(given([button(1, []), button(1)]), record)).toBeNull();
    expect(told(preflight(given([button(1), button('1')]), record))).toEqual(
      mismatch('its button 1 ("Track") needs 1 value; 2 came.'),
    );
    expect(told(preflight(given([button(1), button(2, []), button(2)]), record))).toEqual(
      mismatch('its button 2 ("Shop") needs no values; 1 came.'),
    );
  });

  test('that is not there is named', () => {
    expect(told(preflight(given([button(1), button(4)]), record))).toEqual(
      mismatch('it has 4 buttons, so there is none with index 4 (the first is 0).'),
    );
    expect(told(preflight(given([button('0')]), known([{ type: 'BODY', text: 'Hi' }])))).toEqual(
      mismatch('it has no buttons, so there is none with index 0 (the first is 0).'),
    );
  });

  test('whose values the platform leaves open is not judged', () => {
    const payload = {
      type: 'button',
      sub_type: 'quick_reply',
      index: 0,
      parameters: [{ type: 'payload', payload: 'a' }],
    };
    const flow = { type: 'button', sub_type: 'flow', index: 3, parameters: [{ type: 'action', action: {} }] };
    expect(preflight(given([button(1)]), record)).toBeNull();
    expect(preflight(given([button(1), payload, flow]), record)).toBeNull();
  });

  test('of a coupon needs its code', () => {
    const coupon = known([
      { type: 'BODY', text: 'Hi' },
      { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', text: 'Copy' }] },
    ]);
    expect(told(preflight(given([]), coupon))).toEqual(
      mismatch('its button 0 ("Copy") needs 1 value; 0 came.'),
    );
    const code = {
      type: 'button',
      sub_type: 'copy_code',
      index: 0,
      parameters: [{ type: 'coupon_code', coupon_code: 'SAVE' }],
    };
    expect(preflight(given([code]), coupon)).toBeNull();
  });
});

test('what the gateway does not know is left to the platform', () => {
  const carousel = known([
    { type: 'BODY', text: 'Hi' },
    { type: 'CAROUSEL' },
    { type: 'LIMITED_TIME_OFFER' },
  ]);
  expect(
    preflight(
      given([
        { type: 'carousel', cards: [] },
        { type: 'limited_time_offer', parameters: [{ type: 'x' }] },
      ]),
      carousel,
    ),
  ).toBeNull();
});
