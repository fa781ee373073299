import { actionRoute, pageRoute, type PanelRoute } from '../panel-route';
import { changeBlocked, showBlocked } from './blocked';
import { saveChatStart, showChatStart } from './chat-start';
import { saveProfile, showProfile } from './profile';
import { deleteCode, saveCode, showCodes } from './qr-codes';
import { changeRegistration, showRegistration } from './registration';

/** Largest form in bytes, including the picture. */
const PICTURE_FORM_MOST = 6 * 1024 * 1024;

/** What the platform stores of a line's number: profile, chat start, shop, QR codes, blocks and registration. */
export const numberPages: PanelRoute[] = [
  pageRoute('lines.manage', '/lines/:id/number', (context) => showProfile(context)),
  actionRoute('lines.manage', '/lines/:id/number', saveProfile, { limit: PICTURE_FORM_MOST }),
  pageRoute('lines.manage', '/lines/:id/number/chat-start', (context) => showChatStart(context)),
  actionRoute('lines.manage', '/lines/:id/number/chat-start', saveChatStart),
  pageRoute('lines.manage', '/lines/:id/number/qr', (context) => showCodes(context)),
  actionRoute('lines.manage', '/lines/:id/number/qr', saveCode),
  actionRoute('lines.manage', '/lines/:id/number/qr/delete', deleteCode),
  pageRoute('lines.manage', '/lines/:id/number/blocked', (context) => showBlocked(context)),
  actionRoute('lines.manage', '/lines/:id/number/blocked', changeBlocked),
  pageRoute('lines.manage', '/lines/:id/number/registration', (context) => showRegistration(context)),
  actionRoute('lines.manage', '/lines/:id/number/registration', changeRegistration),
];
