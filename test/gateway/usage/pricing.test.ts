import { isCharged, readPricing, toldPricing } from '../../../gateway/usage/pricing';

const PRICING = { billable: true, pricing_model: 'PMP', type: 'regular', category: 'marketing' };

describe('the pricing of a status', () => {
  test('is stored as told, and read again', () => {
    const stored = toldPricing('delivered', PRICING);
    expect(stored).toBe('[1,"marketing","regular","PMP",true]');
    expect(readPricing(stored)).toEqual({
      category: 'marketing',
      type: 'regular',
      model: 'PMP',
      billable: true,
    });
  });

  test('may lack anything, and its values may be new', () => {
    expect(readPricing(toldPricing('sent', { category: 'Referral_Conversion' }))).toEqual({
      ...{ category: 'referral_conversion', type: null },
      ...{ model: null, billable: null },
    });
    expect(readPricing(null)).toMatchObject({ category: null, billable: null });
  });

  test('names a category like the counts and the rate cards of the platform', () => {
    expect(readPricing(toldPricing('delivered', { category: 'authentication-international' })).category).toBe(
      'authentication_international',
    );
  });

  test.each([
    undefined,
    null,
    'regular',
    [],
    {},
    { category: 7, billable: 'yes' },
    { category: 'a'.repeat(65) },
  ])('is nothing if nothing can be read: %j', (pricing) => {
    expect(toldPricing('sent', pricing)).toBeNull();
  });

  test('of the delivery comes first, then of the later statuses', () => {
    const told = ['read', 'failed', 'other', 'sent', 'played', 'delivered'].map((status) =>
      toldPricing(status, PRICING),
    );
    expect(told.toSorted().map((text) => text?.slice(0, 2))).toEqual(['[1', '[2', '[3', '[4', '[5', '[6']);
  });

  test('says whether the message is charged', () => {
    const charged = (more: object) => isCharged(readPricing(toldPricing('delivered', more)));
    expect(charged(PRICING)).toBe(true);
    expect(charged({ ...PRICING, billable: undefined })).toBe(true);
    expect(charged({ ...PRICING, billable: false })).toBe(false);
    expect(charged({ ...PRICING, billable: undefined, type: 'free_entry_point' })).toBe(false);
    expect(charged({})).toBe(false);
  });
});
