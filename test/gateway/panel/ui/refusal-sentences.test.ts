import { refusalOfUpstream } from '../../../../gateway/cloud-api/failures';
import { lineNotConfigured } from '../../../../gateway/errors';
import { sentenceOfRefusal, errorPageOf } from '../../../../gateway/panel/ui/frame/error-page';

const refused = (code: number, error: object) =>
  refusalOfUpstream({ status: 400, code, message: '', verbatim: JSON.stringify(error), retryAfter: null });

describe('a refusal on a page', () => {
  test('of the platform: what it says, and what to do', () => {
    const locked = refused(131031, { message: '(#131031) Account has been locked', code: 131031 });
    expect(errorPageOf(locked)).toMatchObject({
      title: 'The platform refused this',
      text: '(#131031) Account has been locked. Open WhatsApp Manager and resolve what it shows for this business account.',
    });
  });

  test('of the platform with a code that nobody knows: what it says', () => {
    const unknown = refused(77, { message: 'Something new', code: 77, error_data: 'why' });
    expect(sentenceOfRefusal(unknown)).toBe('Something new');
  });

  test('of the gateway: both, once', () => {
    expect(sentenceOfRefusal(lineNotConfigured())).toMatch(
      /^The gateway has no access token of the platform for this line\. Enter it in the control panel .*\.$/,
    );
  });
});
