import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Base,
  INTERACTIVE,
  MarkAsRead,
  MESSAGE_TYPES,
  OtherInteractive,
} from '../../../../gateway/cloud-api/validate/message-request';
import { MESSAGES } from '../../../support/message-shapes';

type Schema = { [keyword: string]: unknown };

/** What a schema object of OpenAPI 3.0.3 may hold, as far as it is needed here. */
const KEYWORDS = [
  'type',
  'nullable',
  'enum',
  'description',
  'properties',
  'required',
  'items',
  'anyOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'pattern',
];

function schemasIn(schema: Schema): Schema[] {
  const { properties = {}, items, anyOf = [] } = schema;
  const inner = [...Object.values(properties as object), ...(items ? [items] : []), ...(anyOf as Schema[])];
  return [schema, ...inner.flatMap((one) => schemasIn(one as Schema))];
}

const all = Object.entries({ Base, MarkAsRead, OtherInteractive, ...MESSAGE_TYPES, ...INTERACTIVE });

describe('the schemas of a message', () => {
  test.each(all)('hold nothing that OpenAPI 3.0.3 does not know: %s', (_name, schema) => {
    const published = JSON.parse(JSON.stringify(schema)) as Schema;
    for (const one of schemasIn(published)) {
      expect(Object.keys(one).filter((keyword) => !KEYWORDS.includes(keyword))).toEqual([]);
      expect(Array.isArray(one.type)).toBe(false);
      expect(one).toEqual(one.nullable ? expect.objectContaining({ type: expect.any(String) }) : one);
      expect(() => new RegExp((one.pattern as string | undefined) ?? '', 'u')).not.toThrow();
    }
  });

  test('are those of the types and kinds that docs/api.md names', () => {
    const rows = readFileSync(join(__dirname, '../../../../docs/api.md'), 'utf8').split('\n');
    const named = (part: string) =>
      rows.filter((row) => row.startsWith(`| ${part}`)).flatMap((row) => row.match(/(?<=`)\w+(?=`)/g) ?? []);
    expect(named('`type` ').slice(1).sort()).toEqual(Object.keys(MESSAGE_TYPES).sort());
    expect(named('interactive')).toEqual(expect.arrayContaining(Object.keys(INTERACTIVE)));
  });

  test('are each tried by what makes good and broken messages', () => {
    const types = Object.keys(MESSAGE_TYPES).filter((type) => type !== 'interactive');
    const kinds = [...Object.keys(INTERACTIVE), 'other'].map((kind) => `interactive ${kind}`);
    expect(Object.keys(MESSAGES).sort()).toEqual([...types, ...kinds, 'mark as read'].sort());
  });
});
