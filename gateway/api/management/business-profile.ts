import * as Type from 'typebox';
import { forwarded, NODE, SUCCESS } from './forward';

export const getBusinessProfile = forwarded('get /{tid}/whatsapp_business_profile', {
  id: 'getBusinessProfile',
  summary: 'Read the business profile',
  description: 'What contacts see when they open your business: text, address, e-mail, websites and picture.',
  query: { fields: 'The fields to return, separated by commas, such as `about,email,websites`.' },
  answer: { description: 'The profile.', schema: Type.Object({ data: Type.Array(NODE) }) },
  refusals: () => [],
});

export const editBusinessProfile = forwarded('post /{tid}/whatsapp_business_profile', {
  id: 'editBusinessProfile',
  summary: 'Edit the business profile',
  description:
    'Changes the named fields. A picture is uploaded first; `profile_picture_handle` is its handle.',
  body: {
    schema: NODE,
    examples: {
      profile: {
        value: { messaging_product: 'whatsapp', about: 'Open from 9 to 18', email: 'hello@example.com' },
      },
    },
  },
  answer: { description: 'The profile was changed.', schema: SUCCESS },
  refusals: () => [],
});
