import { forwarded, NODE, SUCCESS } from './forward';

/** Clients send these fields in the body or in the query. */
const body = (value: object) => ({ schema: NODE, isOptional: true, examples: { usual: { value } } });

export const registerNumber = forwarded('post /{tid}/register', {
  id: 'registerNumber',
  summary: 'Register the number',
  description:
    'Connects the number to the platform. The PIN is that of two-step verification; the gateway neither stores nor logs it.',
  query: { messaging_product: 'Always `whatsapp`.', pin: 'The six digits, if not in the body.' },
  body: body({ messaging_product: 'whatsapp', pin: '123456' }),
  answer: { description: 'The number is registered.', schema: SUCCESS },
  refusals: () => [],
});

export const deregisterNumber = forwarded('post /{tid}/deregister', {
  id: 'deregisterNumber',
  summary: 'Disconnect the number',
  description:
    'Disconnects the number from the platform. It can neither send nor receive until it is registered.',
  answer: { description: 'The number is disconnected.', schema: SUCCESS },
  refusals: () => [],
});

export const requestCode = forwarded('post /{tid}/request_code', {
  id: 'requestCode',
  summary: 'Request a verification code',
  description: 'The platform sends a code to the number, by text message or by a call.',
  query: { code_method: '`SMS` or `VOICE`, if not in the body.', language: 'Such as `en_US`.' },
  body: body({ code_method: 'SMS', language: 'en_US' }),
  answer: { description: 'The code is on its way.', schema: SUCCESS },
  refusals: () => [],
});

export const verifyCode = forwarded('post /{tid}/verify_code', {
  id: 'verifyCode',
  summary: 'Verify the number with the code',
  description: 'Shows the platform that the number is yours.',
  query: { code: 'The code, if not in the body.' },
  body: body({ code: '123456' }),
  answer: { description: 'The number is verified.', schema: SUCCESS },
  refusals: () => [],
});
