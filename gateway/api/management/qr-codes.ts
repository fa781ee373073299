import { forwarded, NODE, NODES, PAGE_QUERY, SUCCESS } from './forward';

const FIELDS = {
  prefilled_message: 'The text that the code fills in, if not in the body.',
  generate_qr_image: '`PNG` or `SVG`: the answer has the address of a picture.',
};
const CREATE = {
  query: FIELDS,
  body: {
    schema: NODE,
    isOptional: true,
    examples: { code: { value: { prefilled_message: 'I have a question', generate_qr_image: 'SVG' } } },
  },
  answer: { description: 'The QR code with its link.', schema: NODE },
  refusals: () => [],
};

export const listQrCodes = forwarded('get /{tid}/message_qrdls', {
  id: 'listQrCodes',
  isList: true,
  summary: 'List QR codes',
  description: 'Codes and links that open a chat with your line and fill in a text.',
  query: { ...PAGE_QUERY, code: 'Only this code.' },
  answer: { description: 'The codes.', schema: NODES },
  refusals: () => [],
});

export const createQrCode = forwarded('post /{tid}/message_qrdls', {
  id: 'createQrCode',
  summary: 'Create a QR code',
  description: 'Creates a code that fills in a text. With `code`, changes the text of that one.',
  ...CREATE,
});

export const getQrCode = forwarded('get /{tid}/message_qrdls/{code}', {
  id: 'getQrCode',
  summary: 'Read a QR code',
  description: 'Returns one code with its text and link.',
  query: { fields: PAGE_QUERY.fields },
  answer: { description: 'The code.', schema: NODES },
  refusals: () => [],
});

export const editQrCode = forwarded('post /{tid}/message_qrdls/{code}', {
  id: 'editQrCode',
  summary: 'Change a QR code',
  description: 'Changes the text that a code fills in. The code and its link stay.',
  ...CREATE,
});

export const deleteQrCode = forwarded('delete /{tid}/message_qrdls/{code}', {
  id: 'deleteQrCode',
  summary: 'Delete a QR code',
  description: 'Deletes a code. Its link then opens nothing, and it cannot be restored.',
  answer: { description: 'The code was deleted.', schema: SUCCESS },
  refusals: () => [],
});
